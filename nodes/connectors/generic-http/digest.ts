import { createHash } from 'node:crypto';

/** A challenge of `WWW-Authenticate: Digest` (RFC 7616 section 3.3). */
interface Challenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | null;
  readonly algorithm: string;
  /** Null for servers of RFC 2069, which know none. */
  readonly qop: 'auth' | null;
  readonly userhash: boolean;
}

const HASHES: ReadonlyMap<string, string> = new Map([
  ['MD5', 'md5'],
  ['MD5-SESS', 'md5'],
  ['SHA-256', 'sha256'],
  ['SHA-256-SESS', 'sha256'],
  ['SHA-512-256', 'sha512-256'],
  ['SHA-512-256-SESS', 'sha512-256'],
]);
/** Servers list their preferred algorithm first; the strongest is used. */
const STRENGTH = ['sha512-256', 'sha256', 'md5'];

/** The first supported challenge of a header; null if there is none. */
export function challengeIn(header: string): Challenge | null {
  const found = header
    .split(/(?:^|,)\s*(?=[A-Za-z][\w-]*\s+[\w-]+\s*=)/)
    .filter((part) => /^digest\s/i.test(part.trim()))
    .flatMap((part) => challengeOf(part.trim().slice('digest'.length)) ?? []);
  const rank = ({ algorithm }: Challenge): number => STRENGTH.indexOf(HASHES.get(algorithm.toUpperCase()) ?? '');
  return found.sort((a, b) => rank(a) - rank(b))[0] ?? null;
}

function challengeOf(text: string): Challenge | null {
  const members = new Map(
    [...text.matchAll(/([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g)].map(([, name = '', quoted, plain]) => [
      name.toLowerCase(),
      quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1'),
    ]),
  );
  const [realm, nonce] = [members.get('realm'), members.get('nonce')];
  const algorithm = members.get('algorithm') ?? 'MD5';
  const qops = members
    .get('qop')
    ?.split(',')
    .map((word) => word.trim().toLowerCase());
  if (realm === undefined || nonce === undefined || !HASHES.has(algorithm.toUpperCase())) return null;
  if (qops !== undefined && !qops.includes('auth')) return null;
  return {
    realm,
    nonce,
    opaque: members.get('opaque') ?? null,
    algorithm,
    qop: qops === undefined ? null : 'auth',
    userhash: members.get('userhash')?.toLowerCase() === 'true',
  };
}

/** The credentials and the request. `uri`: path and query as they are sent; `cnonce`: unpredictable. */
interface Answering {
  readonly username: string;
  readonly password: string;
  readonly method: string;
  readonly uri: string;
  readonly cnonce: string;
}

/** The `Authorization` header that meets a challenge (RFC 7616 section 3.4). Pure. */
export function digestHeader(challenge: Challenge, { username, password, method, uri, cnonce }: Answering): string {
  const { realm, nonce, opaque, algorithm, qop, userhash } = challenge;
  const hash = (...parts: readonly string[]): string =>
    createHash(HASHES.get(algorithm.toUpperCase()) ?? 'md5')
      .update(parts.join(':'))
      .digest('hex');
  const own = hash(username, realm, password);
  const a1 = algorithm.toUpperCase().endsWith('-SESS') ? hash(own, nonce, cnonce) : own;
  const a2 = hash(method, uri);
  const count = '00000001';
  const response = qop === null ? hash(a1, nonce, a2) : hash(a1, nonce, count, cnonce, qop, a2);
  const user = userhash ? hash(username, realm) : username;
  const members = [
    ['username', quoted(user)],
    ['realm', quoted(realm)],
    ['nonce', quoted(nonce)],
    ['uri', quoted(uri)],
    ['algorithm', algorithm],
    ['response', quoted(response)],
    ...(opaque === null ? [] : [['opaque', quoted(opaque)]]),
    ...(qop === null && !algorithm.toUpperCase().endsWith('-SESS') ? [] : [['cnonce', quoted(cnonce)]]),
    ...(qop === null
      ? []
      : [
          ['qop', qop],
          ['nc', count],
        ]),
    ...(userhash ? [['userhash', 'true']] : []),
  ];
  return `Digest ${members.map((pair) => pair.join('=')).join(', ')}`;
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
