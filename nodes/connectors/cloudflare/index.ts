import { bearer } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { bodyAt, byPage } from '../http/pages';
import { outputAt } from '../http/read';
import { codeAt, faultFrom } from '../http/error-text';
import { choice, filledText, flag, integer, list, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const ZONE = { zone: filledText('ID of the zone.', '023e105f4ecef8ad9ca31a8372d0c353') };
const RECORD_ID = { record: filledText('ID of the record.', '372e67954025e0ba6aaa6d586b9e0b59') };
const TYPE = choice(['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'TXT'], 'Type of the record.');
const NAME = filledText('Full host name of the record.', 'shop.example.com');
const CONTENT = filledText('Content of the record, such as an address.', '198.51.100.4');
const FURTHER = {
  ttl: integer('Time to live in seconds; 1: automatic.', 1, { minimum: 1, maximum: 86_400 }),
  proxied: flag('Whether traffic goes through Cloudflare.'),
  priority: integer('Priority of an MX record.', 10, { minimum: 0, maximum: 65_535 }),
  comment: text('Comment on the record.', 'Made by a workflow'),
};
const RECORD = outputOf({
  id: text('ID of the record.', '372e67954025e0ba6aaa6d586b9e0b59'),
  type: text('Type of the record.', 'A'),
  name: NAME,
  content: CONTENT,
});
const IDENTIFIED = outputOf({ id: text('ID of the operation.', '372e67954025e0ba6aaa6d586b9e0b59') });
const read = outputAt('result');
const pages = byPage({ items: 'result', page: 'page', first: 1, last: 'result_info.total_pages' });

const actions: readonly HttpAction[] = [
  readAction('verify_token', 'Verifies the token.', {
    output: outputOf({
      id: text('ID of the token.', 'ed17574386854bf78a67040be0a770b0'),
      status: text('Status.', 'active'),
    }),
    call: 'GET /user/tokens/verify',
    read,
  }),
  readAction('list_zones', 'Lists zones that the token can access.', {
    optional: { name: text('Filter by name.', 'example.com') },
    item: outputOf({
      id: text('ID of the zone.', '023e105f4ecef8ad9ca31a8372d0c353'),
      name: text('Name of the field.', 'example.com'),
    }),
    call: 'GET /zones',
    query: { page: 1, per_page: 50 },
    pages,
  }),
  readAction('list_dns_records', 'Lists records of a zone.', {
    required: ZONE,
    optional: { type: TYPE, name: NAME },
    item: RECORD,
    call: 'GET /zones/{zone}/dns_records',
    query: { page: 1, per_page: 100 },
    pages,
  }),
  writeAction('create_dns_record', 'Creates a DNS record in a zone.', {
    required: { ...ZONE, type: TYPE, name: NAME, content: CONTENT },
    optional: FURTHER,
    output: RECORD,
    call: 'POST /zones/{zone}/dns_records',
    body: { ttl: 1 },
    read,
  }),
  idempotentWrite('update_dns_record', 'Updates the given fields of a DNS record.', {
    required: { ...ZONE, ...RECORD_ID },
    optional: { type: TYPE, name: NAME, content: CONTENT, ...FURTHER },
    output: RECORD,
    call: 'PATCH /zones/{zone}/dns_records/{record}',
    read,
  }),
  idempotentWrite('delete_dns_record', 'Deletes a record.', {
    required: { ...ZONE, ...RECORD_ID },
    output: IDENTIFIED,
    call: 'DELETE /zones/{zone}/dns_records/{record}',
    read,
  }),
  idempotentWrite('purge_files', 'Removes files from the cache.', {
    required: {
      ...ZONE,
      files: list({ type: 'string' }, 'URLs of the files.', ['https://shop.example.com/style.css'], {
        minItems: 1,
        maxItems: 100,
      }),
    },
    output: IDENTIFIED,
    call: 'POST /zones/{zone}/purge_cache',
    read,
  }),
  idempotentWrite('purge_everything', 'Removes everything from the cache.', {
    required: ZONE,
    output: IDENTIFIED,
    call: 'POST /zones/{zone}/purge_cache',
    body: { purge_everything: true },
    read,
  }),
];

export const cloudflare = defineConnector({
  name: 'cloudflare',
  title: 'Cloudflare',
  description: 'Manage zones, DNS records and the cache.',
  category: 'Operations',
  docs: 'https://developers.cloudflare.com/api/',

  fields: [
    secretField(
      'token',
      'API token',
      'My Profile > API Tokens, with permissions for the zones.',
      'v1.0-0123456789abcdef',
    ),
  ],
  base: 'https://api.cloudflare.com/client/v4',
  sign: bearer('token'),
  fault: faultFrom({
    message: [
      (response) => {
        const message = messageAt('errors', 0, 'message')(response);
        const why = bodyAt(response, 'errors[0].error_chain[0].message');
        return message === null || typeof why !== 'string' ? message : `${message}: ${why}`;
      },
    ],
    code: codeAt('errors[0].code'),
  }),
  connectionTest: 'verify_token',
  actions,
});
