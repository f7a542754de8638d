'use strict';
// Shows /openapi.json. Everything is written as text, never as markup.
(function () {
  let doc;

  function make(name, text, className) {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  }

  function resolve(node) {
    while (node && node.$ref) {
      node = node.$ref.slice(2).split('/').reduce((at, step) => at && at[step.replace(/~1/g, '/').replace(/~0/g, '~')], doc);
    }
    return node || {};
  }

  function refName(node) {
    return node && node.$ref ? node.$ref.split('/').pop() : '';
  }

  /** A schema with all parts of its allOf in one. */
  function whole(schema) {
    const found = resolve(schema);
    if (!found.allOf) return found;
    const parts = found.allOf.map(whole);
    return {
      type: 'object',
      properties: Object.assign({}, ...parts.map((part) => part.properties || {})),
      required: parts.flatMap((part) => part.required || []),
    };
  }

  function kind(schema) {
    const found = whole(schema);
    if (found.anyOf) return found.anyOf.map(kind).join(' or ');
    const types = [].concat(found.type || 'any');
    const shown = types.map((type) => (type === 'array' ? kind(found.items || {}) + '[]' : type)).join(' or ');
    const notes = [];
    if (found.format) notes.push(found.format);
    if (found.enum) notes.push(found.enum.filter((value) => value !== null).join(' | '));
    if (found.minLength !== undefined && found.minLength > 0) notes.push('≥ ' + found.minLength + ' chars');
    if (found.maxLength !== undefined) notes.push('≤ ' + found.maxLength + ' chars');
    if (found.minimum !== undefined) notes.push('≥ ' + found.minimum);
    if (found.maximum !== undefined) notes.push('≤ ' + found.maximum);
    if (found.maxItems !== undefined) notes.push('≤ ' + found.maxItems + ' items');
    if (found.default !== undefined) notes.push('default ' + found.default);
    return notes.length ? shown + ' (' + notes.join(', ') + ')' : shown;
  }

  function row(table, name, schema, must, description) {
    const line = table.insertRow();
    const first = line.insertCell();
    first.append(make('code', name));
    if (must) first.append(make('span', ' required', 'must'));
    const second = line.insertCell();
    second.className = 'kind';
    second.textContent = kind(schema);
    line.insertCell().textContent = description || resolve(schema).description || '';
  }

  function fields(schema) {
    const found = whole(schema);
    const table = make('table');
    const names = Object.keys(found.properties || {});
    if (!names.length) return make('p', kind(schema));
    for (const name of names) row(table, name, found.properties[name], (found.required || []).includes(name));
    return table;
  }

  function sample(schema, depth) {
    const found = whole(schema);
    const type = [].concat(found.type || (found.properties ? 'object' : 'any'))[0];
    if (found.enum) return found.enum[0];
    if (found.anyOf) return sample(found.anyOf[0], depth);
    if (type === 'object') {
      const out = {};
      if (depth < 3) for (const name of found.required || []) out[name] = sample((found.properties || {})[name], depth + 1);
      return out;
    }
    if (type === 'array') return [sample(found.items || {}, depth + 1)];
    if (type === 'integer') return found.minimum || 1;
    if (type === 'boolean') return true;
    return found.format === 'date-time' ? '2026-01-31T12:00:00Z' : 'text';
  }

  function curl(method, path, body) {
    let text = 'curl -X ' + method + ' ' + location.origin + path + " \\\n  -H 'Authorization: Bearer <key>'";
    if (body) text += " \\\n  -d '" + JSON.stringify(sample(body, 0)).replace(/'/g, "'\\''") + "'";
    return text;
  }

  function call(method, path, operation) {
    const details = make('details', undefined, 'call' + (operation.deprecated ? ' old' : ''));
    details.id = operation.operationId;
    const summary = make('summary');
    summary.append(make('span', method, 'method ' + method), make('code', path), make('span', operation.summary, 'summary'));
    details.append(summary);
    details.addEventListener('toggle', function () {
      if (details.open && details.childElementCount === 1) details.append(contents(method, path, operation));
    });
    details.dataset.text = [method, path, operation.summary, operation.operationId].join(' ').toLowerCase();
    return details;
  }

  function contents(method, path, operation) {
    const box = make('div');
    if (operation.description) box.append(make('p', operation.description));
    const parameters = (operation.parameters || []).map(resolve);
    if (parameters.length) {
      box.append(make('h4', 'Parameters'));
      const table = make('table');
      for (const one of parameters) row(table, one.name + ' (' + one.in + ')', one.schema, one.required, one.description);
      box.append(table);
    }
    const body = operation.requestBody && (operation.requestBody.content['application/json'] || {}).schema;
    if (body) box.append(make('h4', 'Body: ' + refName(body)), fields(body));
    for (const status of Object.keys(operation.responses)) {
      const response = resolve(operation.responses[status]);
      const schema = response.content && response.content['application/json'] && response.content['application/json'].schema;
      box.append(make('h4', status + ' ' + response.description + (schema ? ': ' + refName(schema) : '')));
      if (schema && status < '300') box.append(fields(schema));
    }
    box.append(make('h4', 'Example'), make('pre', curl(method, path, body)));
    return box;
  }

  function show() {
    const about = document.getElementById('about');
    about.replaceChildren(make('h1', doc.info.title + ' API'));
    for (const part of doc.info.description.split('\n\n')) about.append(make('p', part.replace(/`/g, '')));
    const link = make('a', 'openapi.json');
    link.href = '/openapi.json';
    about.append(link);
    const byTag = new Map(doc.tags.map((tag) => [tag.name, []]));
    for (const [path, item] of Object.entries(doc.paths)) {
      for (const [method, operation] of Object.entries(item)) byTag.get(operation.tags[0]).push([method.toUpperCase(), path, operation]);
    }
    for (const tag of doc.tags) {
      const list = byTag.get(tag.name);
      if (!list.length) continue;
      const section = make('section');
      section.append(make('h2', tag.name, 'tag'), make('p', tag.description));
      const links = make('div');
      links.append(make('h2', tag.name));
      for (const [method, path, operation] of list) {
        section.append(call(method, path, operation));
        const entry = make('a', operation.summary);
        entry.href = '#' + operation.operationId;
        links.append(entry);
      }
      document.getElementById('calls').append(section);
      document.getElementById('contents').append(links);
    }
    open();
  }

  function open() {
    const chosen = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (chosen && chosen.tagName === 'DETAILS') {
      chosen.open = true;
      chosen.scrollIntoView();
    }
  }

  function search(words) {
    for (const details of document.querySelectorAll('details.call')) {
      details.hidden = !words.every((word) => details.dataset.text.includes(word));
    }
    for (const section of document.querySelectorAll('section')) {
      section.hidden = !section.querySelector('details.call:not([hidden])');
    }
  }

  document.getElementById('search').addEventListener('input', (event) => search(event.target.value.toLowerCase().split(/\s+/)));
  window.addEventListener('hashchange', open);
  fetch('/openapi.json')
    .then((answer) => answer.json())
    .then((json) => { doc = json; show(); })
    .catch((error) => { document.getElementById('about').replaceChildren(make('p', 'The document could not be read: ' + error)); });
})();
