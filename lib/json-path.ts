const MAX_KEY_CHARACTERS = 100;

/** The path of a member in messages: `config.url`, `config["a b"]`, `steps[2]`. Long keys are cut. */
export function memberPath(holder: string, key: string | number): string {
  if (typeof key === 'number') return `${holder}[${key}]`;
  const shown = key.length > MAX_KEY_CHARACTERS ? `${key.slice(0, MAX_KEY_CHARACTERS)}...` : key;
  if (!/^[A-Za-z_$]\w*$/.test(shown)) return `${holder}[${JSON.stringify(shown)}]`;
  return holder === '' ? shown : `${holder}.${shown}`;
}

/** The JSON type of a value, for messages. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
