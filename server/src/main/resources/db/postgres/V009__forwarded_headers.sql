-- Which of a message's headers an endpoint gets: names in lower case, joined by commas; a star ends a beginning. Null: none.
ALTER TABLE endpoints ADD COLUMN forward_headers text;
