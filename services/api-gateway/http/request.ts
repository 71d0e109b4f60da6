import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import type { Match } from '../router';
import type { Claims, Client } from './client';
import type { RequestSpan } from './tracing';

/** A request on its way through the gateway, from `httpHandler` on. */
export interface GatewayRequest extends IncomingMessage {
  url: string;
  method: string;
  requestId: string;
  /** By the clock of `performance`; set only where metrics are collected. */
  beganAt: number;
  /** Set only where requests are traced. */
  span?: RequestSpan;
  /** Where it came from; behind trusted proxies, what they say. */
  client: Client;
  /** The URL's path as it was sent: still percent-encoded, without query and trailing slash. */
  pathname: string;
  /** The URL's text after the question mark. */
  search: string;
  /** What the router found for it. */
  match: Match;
}

const SANE_ID = /^[\x21-\x7e]{1,128}$/;

/** The caller's X-Request-ID when it is 1 to 128 visible ASCII characters, else a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && SANE_ID.test(given) ? given : randomId();
}

/** Path and query text of a request target (RFC 9112 section 3.2); null when it has no path. */
export function splitTarget(target: string): { pathname: string; search: string } | null {
  let start = 0;
  if (target.charCodeAt(0) !== 0x2f) {
    // Absolute form, which proxies send; its authority says nothing that matters here.
    const authority = /^https?:\/\/[^/?#]*/i.exec(target);
    if (authority === null) return null;
    start = authority[0].length;
  }
  const mark = target.indexOf('?', start);
  const path = mark < 0 ? target.slice(start) : target.slice(start, mark);
  const pathname = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path || '/';
  return { pathname, search: mark < 0 ? '' : target.slice(mark + 1) };
}

/** Larger bodies are read only after authentication: reading costs more than the check. */
const SMALL_BODY = 64 * 1024;

/** Whether a body says of itself that it is small, and not compressed. */
export const hasSmallBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined &&
  headers['content-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) <= SMALL_BODY;

const BEARER = /^bearer +([^\s]+) *$/i;

/** The credential of an `Authorization: Bearer` header (RFC 6750 section 2.1), or null. */
export function bearerOf(request: IncomingMessage): string | null {
  const header = request.headers.authorization;
  return header === undefined ? null : (BEARER.exec(header)?.[1] ?? null);
}

/**
 * Headers by their lower-case names, for services to read.
 * @throws AppError invalid_request for the one name that Node's parser loses, since it assigns to a plain object
 */
export function headersOf(request: IncomingMessage): Record<string, string> {
  if (request.rawHeaders.some((text, index) => index % 2 === 0 && text.toLowerCase() === '__proto__')) {
    throw new AppError('invalid_request', 'A header field cannot be named __proto__');
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return headers;
}

/** The client's address. X-Forwarded-For is asked only when a proxy of ours has written it. */
export const addressOf = ({ client }: Pick<GatewayRequest, 'client'>): string => client.address;

const MAX_USER_AGENT_CHARS = 400;

/** The `User-Agent` header, shortened. */
export const userAgentOf = ({ headers }: IncomingMessage): string | undefined =>
  headers['user-agent']?.slice(0, MAX_USER_AGENT_CHARS);

/** What a request says of where it came from. */
export const claimsOf = ({ headers, socket }: IncomingMessage): Claims => ({
  peer: socket.remoteAddress,
  host: headers.host,
  forwardedFor: textOf(headers['x-forwarded-for']),
  forwardedProto: textOf(headers['x-forwarded-proto']),
  forwardedHost: textOf(headers['x-forwarded-host']),
});

const textOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

/** True when the Accept header puts a type above JSON. */
export function prefers(accept: string | undefined, type: `${string}/${string}`): boolean {
  if (accept === undefined) return false;
  return qualityOf(accept, type) > qualityOf(accept, 'application/json');
}

/** True when the Accept header puts HTML above JSON. */
export const prefersHtml = (accept: string | undefined): boolean => prefers(accept, 'text/html');

function qualityOf(accept: string, type: string): number {
  const ranges = accept
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim());
      const q = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
      return { range, q: Number.isFinite(q) ? q : 0 };
    });
  const wild = `${type.slice(0, type.indexOf('/'))}/*`;
  return [type, wild, '*/*'].map((range) => ranges.find((given) => given.range === range)?.q).find(isNumber) ?? 0;
}

const isNumber = (value: number | undefined): value is number => value !== undefined;
