/** A configured Qdrant. `prefix`: path before its API's paths, or empty. */
export interface QdrantConfig {
  readonly host: string;
  readonly port: number;
  readonly https: boolean;
  readonly prefix: string;
  readonly apiKey: string | null;
}

/** Qdrant's default port. */
const DEFAULT_PORT = 6333;

/** Reads QDRANT_*; null without it. Adds faults to the list, without the key. */
export function readQdrant(text: (name: string) => string | null, faults: string[]): QdrantConfig | null {
  const url = text('QDRANT_URL');
  const apiKey = text('QDRANT_API_KEY');
  if (url === null) {
    if (apiKey !== null) faults.push('QDRANT_API_KEY is set, but QDRANT_URL is not; set it too');
    return null;
  }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return faulty(faults);
  const { protocol, hostname, pathname, username, password, search, hash } = new URL(url);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return faulty(faults);
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey)) {
    faults.push('QDRANT_API_KEY must be of printable ASCII characters, without blanks');
    return null;
  }
  return {
    host: hostname,
    port: portIn(url),
    https: protocol === 'https:',
    prefix: pathname.replace(/\/+$/, ''),
    apiKey,
  };
}

function faulty(faults: string[]): null {
  // Not repeated, as it may hold a password.
  faults.push('QDRANT_URL must look like http://host:6333 or https://host:6333/path; a key goes into QDRANT_API_KEY');
  return null;
}

/** Read from the text: a parsed URL drops its protocol's default port, which is not Qdrant's. */
const portIn = (url: string): number => Number(/^https?:\/\/[^/]*:(\d+)(?:\/|$)/i.exec(url)?.[1] ?? DEFAULT_PORT);
