const LONGEST_KEY = 100;

/** The path of a member in messages: `config.url`, `config["a b"]`, `steps[2]`. Long keys are cut. */
export function memberPlace(holder: string, key: string | number): string {
  if (typeof key === 'number') return `${holder}[${key}]`;
  const shown = key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}...` : key;
  if (!/^[A-Za-z_$]\w*$/.test(shown)) return `${holder}[${JSON.stringify(shown)}]`;
  return holder === '' ? shown : `${holder}.${shown}`;
}

/** The JSON type of a value in a sentence. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
