-- No message with an id up to this one will be committed by the instance any more; null until it has said so.
ALTER TABLE instances ADD COLUMN horizon uuid;
