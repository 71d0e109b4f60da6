import { EgressError } from '../../../../lib/egress';
import { CASE_NOW, type NodeCase } from '../../node-case';
import { failed, receiving, URL } from './builders';

export const verdicts: NodeCase[] = [
  receiving(
    '404 fails finally, with the start of the body',
    { status: 404, body: 'no such\n order' },
    failed(`GET ${URL} answered 404: no such order`, false),
  ),
  receiving('an empty body adds nothing', { status: 400 }, failed(`GET ${URL} answered 400`, false)),
  receiving(
    'bytes are counted, not quoted',
    { status: 400, headers: { 'content-type': 'image/png' }, body: 'xyz' },
    failed('(3 bytes of image/png)', false),
  ),
  ...[408, 425, 429, 500, 502, 503, 504].map((status) =>
    receiving(`${status} may be tried again`, { status }, failed(`answered ${status}`, true)),
  ),
  ...[400, 401, 403, 409, 422].map((status) =>
    receiving(`${status} is final`, { status }, failed(`answered ${status}`, false)),
  ),
  receiving('Retry-After in seconds', { status: 429, headers: { 'retry-after': '7' } }, failed('429', true, 7_000)),
  receiving(
    'Retry-After as a date',
    { status: 503, headers: { 'retry-after': new Date(CASE_NOW + 60_000).toUTCString() } },
    failed('503', true, 60_000),
  ),
  receiving(
    'Retry-After in the past is now',
    { status: 503, headers: { 'retry-after': new Date(0).toUTCString() } },
    failed('503', true, 0),
  ),
  receiving(
    'Retry-After is bounded by a day',
    { status: 429, headers: { 'retry-after': '999999999999' } },
    failed('429', true, 86_400_000),
  ),
  receiving(
    'a Retry-After that is neither is ignored',
    { status: 429, headers: { 'retry-after': 'soon' } },
    failed('429', true),
  ),
  receiving(
    'Retry-After does not make a final answer passing',
    { status: 400, headers: { 'retry-after': '7' } },
    failed('400', false),
  ),
  receiving(
    'any status completes the step where configured',
    { status: 500, body: 'oops' },
    { kind: 'done', output: { status: 500, headers: {}, body: 'oops' } },
    { fail_on_status: false },
  ),
  receiving(
    'a redirect that is not followed completes the step',
    { status: 302, headers: { location: '/x' } },
    { kind: 'done', output: { status: 302, headers: { location: '/x' }, body: '' } },
    { follow_redirects: false },
  ),
  receiving(
    'a blocked address is final',
    new EgressError('blocked', 'not public'),
    failed('not public', false, undefined, 'http_blocked'),
  ),
  receiving(
    'a broken connection may be tried again',
    new EgressError('connect', 'reset'),
    failed('reset', true, undefined, 'http_connect'),
  ),
  receiving(
    'a time-out may be tried again',
    new EgressError('timeout', 'slow'),
    failed('slow', true, undefined, 'http_timeout'),
  ),
  receiving(
    'a missing name may be tried again',
    new EgressError('dns', 'unknown'),
    failed('unknown', true, undefined, 'http_dns'),
  ),
  receiving(
    'a huge answer is final',
    new EgressError('too_large', 'huge'),
    failed('huge', false, undefined, 'http_too_large'),
  ),
  {
    title: 'a way down from https to http is noted',
    input: { url: URL },
    answers: [{ status: 200, downgraded: true }],
    logs: [{ level: 'warn', message: `GET ${URL} was redirected from https to http` }],
    outcome: { kind: 'done', output: { status: 200, headers: {}, body: '' } },
  },
];
