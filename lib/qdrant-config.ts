/** A Qdrant that the operator names. `prefix`: a path before those of its interface, empty for none. */
export interface QdrantConfig {
  readonly host: string;
  readonly port: number;
  readonly https: boolean;
  readonly prefix: string;
  readonly apiKey: string | null;
}

/** Where Qdrant listens unless it is told otherwise. */
const DEFAULT_PORT = 6333;

/** QDRANT_* of an environment; null without them. Faults are added to the list, without the key. */
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
  // It may hold a password, so it is not repeated.
  faults.push('QDRANT_URL must look like http://host:6333 or https://host:6333/path; a key goes into QDRANT_API_KEY');
  return null;
}

/** As it is written: a parsed URL has none where it is the usual one of its protocol, which is not Qdrant's. */
const portIn = (url: string): number => Number(/^https?:\/\/[^/]*:(\d+)(?:\/|$)/i.exec(url)?.[1] ?? DEFAULT_PORT);
