package dev.postrider.bench.report;

/** The style sheet of the HTML report, for light and dark mode. */
final class PageStyle {
  static final String CSS =
      """
      :root { color-scheme: light dark; --ink: #1f2937; --soft: #5b6472; --line: #e2e5ea; --paper: #fff; --panel: #f7f8fa;
        --good: #15803d; --bad: #b91c1c; --goal: #111827; --c0: #2563eb; --c1: #d97706; --c2: #059669; --c3: #db2777; --c4: #7c3aed; --c5: #475569; }
      @media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --soft: #a3abb8; --line: #333a45; --paper: #14171c; --panel: #1c2027;
        --good: #4ade80; --bad: #f87171; --goal: #f3f4f6; --c0: #7aa5ff; --c1: #fbb040; --c2: #4fd1a1; --c3: #f783b8; --c4: #b39dff; --c5: #a3abb8; } }
      body { font: 15px/1.5 system-ui, sans-serif; max-width: 1200px; margin: 2em auto 4em; padding: 0 1.5em; color: var(--ink); background: var(--paper); }
      h1 { margin: 0; } h2 { margin: 2.5em 0 0; padding-top: 0.8em; border-top: 1px solid var(--line); }
      p { margin: 0.3em 0; } .soft { color: var(--soft); }
      code { font: 13px/1.5 ui-monospace, monospace; background: var(--panel); padding: 2px 6px; border-radius: 4px; overflow-wrap: anywhere; }
      table { border-collapse: collapse; margin: 0.8em 0; font-size: 14px; }
      th, td { text-align: left; padding: 4px 16px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
      th { font-weight: 600; color: var(--soft); } th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
      .wide { overflow-x: auto; }
      .met { color: var(--good); font-weight: 600; } .missed, .problem { color: var(--bad); font-weight: 600; }
      .quick { border-left: 4px solid var(--c1); background: var(--panel); padding: 6px 12px; }
      .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 16px; margin: 1em 0; }
      figure { margin: 0; padding: 12px 14px; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
      .bars { max-width: 660px; }
      figcaption { font-weight: 600; margin-bottom: 6px; }
      svg { width: 100%; height: auto; display: block; }
      svg text { font: 11px system-ui, sans-serif; fill: var(--soft); } svg .grid { stroke: var(--line); }
      svg .line { fill: none; stroke-width: 1.8; stroke-linejoin: round; } svg .track { fill: var(--line); }
      svg .good { fill: var(--good); } svg .bad { fill: var(--bad); } svg .goal { stroke: var(--goal); stroke-width: 2; }
      svg .line.c0 { stroke: var(--c0); } svg .line.c1 { stroke: var(--c1); } svg .line.c2 { stroke: var(--c2); }
      svg .line.c3 { stroke: var(--c3); } svg .line.c4 { stroke: var(--c4); } svg .line.c5 { stroke: var(--c5); }
      svg .fill.c0 { fill: var(--c0); } svg .fill.c1 { fill: var(--c1); } svg .fill.c2 { fill: var(--c2); }
      svg .fill.c3 { fill: var(--c3); } svg .fill.c4 { fill: var(--c4); } svg .fill.c5 { fill: var(--c5); }
      """;

  private PageStyle() {}
}
