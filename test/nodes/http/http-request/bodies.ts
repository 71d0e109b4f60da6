import type { NodeCase } from '../../node-case';
import { failed, JSON_TYPE, receiving } from './builders';

const empty: NodeCase['outcome'] = { kind: 'done', output: { status: 204, headers: {}, body: null } };

export const bodies: NodeCase[] = [
  receiving(
    'JSON is parsed',
    { status: 200, headers: JSON_TYPE, body: '{"total":3}' },
    {
      kind: 'done',
      output: { status: 200, headers: JSON_TYPE, body: { total: 3 } },
    },
  ),
  receiving(
    'JSON of a vendor is parsed',
    { status: 200, headers: { 'content-type': 'application/vnd.api+json' }, body: '[]' },
    {
      kind: 'done',
      output: { status: 200, headers: { 'content-type': 'application/vnd.api+json' }, body: [] },
    },
  ),
  receiving(
    'broken JSON stays text',
    { status: 200, headers: JSON_TYPE, body: '{"total":' },
    {
      kind: 'done',
      output: { status: 200, headers: JSON_TYPE, body: '{"total":' },
    },
  ),
  receiving(
    'broken JSON fails where JSON is demanded',
    { status: 200, body: '{"total":' },
    failed('not valid JSON', false, undefined, 'invalid_response'),
    { response: 'json' },
  ),
  receiving(
    'text is decoded by its charset',
    { status: 200, headers: { 'content-type': 'text/plain; charset=iso-8859-1' }, body: Buffer.from([0xe4]) },
    {
      kind: 'done',
      output: { status: 200, headers: { 'content-type': 'text/plain; charset=iso-8859-1' }, body: 'ä' },
    },
  ),
  receiving(
    'an unknown charset is read as UTF-8',
    { status: 200, headers: { 'content-type': 'text/plain; charset=klingon' }, body: 'ä' },
    {
      kind: 'done',
      output: { status: 200, headers: { 'content-type': 'text/plain; charset=klingon' }, body: 'ä' },
    },
  ),
  receiving(
    'an image comes in base64',
    { status: 200, headers: { 'content-type': 'image/png' }, body: Buffer.from([0x89, 0x50]) },
    {
      kind: 'done',
      output: { status: 200, headers: { 'content-type': 'image/png' }, body: 'iVA=' },
    },
  ),
  receiving(
    'without a type, UTF-8 is text',
    { status: 200, body: 'plain' },
    { kind: 'done', output: { status: 200, headers: {}, body: 'plain' } },
  ),
  receiving(
    'without a type, bytes come in base64',
    { status: 200, body: Buffer.from([0xff]) },
    {
      kind: 'done',
      output: { status: 200, headers: {}, body: '/w==' },
    },
  ),
  receiving(
    'text on demand',
    { status: 200, headers: JSON_TYPE, body: '{}' },
    { kind: 'done', output: { status: 200, headers: JSON_TYPE, body: '{}' } },
    { response: 'text' },
  ),
  receiving(
    'base64 on demand',
    { status: 200, headers: JSON_TYPE, body: '{}' },
    { kind: 'done', output: { status: 200, headers: JSON_TYPE, body: 'e30=' } },
    { response: 'base64' },
  ),
  receiving('an empty answer to demanded JSON is null', { status: 204 }, empty, { response: 'json' }),
];
