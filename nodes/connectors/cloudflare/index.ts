import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, does, hidden, settles } from '../define';
import { messageAt } from '../http/fault';
import { bodyAt, byPage } from '../http/pages';
import { inside } from '../http/read';
import { codeAt, worded } from '../http/error-text';
import { choice, flag, integer, list, outputOf, text } from '../schemas';

const ZONE = { zone: text('Zone', 'Its id.', '023e105f4ecef8ad9ca31a8372d0c353', { minLength: 1 }) };
const RECORD_ID = { record: text('Record', 'Its id.', '372e67954025e0ba6aaa6d586b9e0b59', { minLength: 1 }) };
const TYPE = choice(['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'TXT'], 'Type', 'Of the record.');
const NAME = text('Name', 'With the domain.', 'shop.example.com', { minLength: 1 });
const CONTENT = text('Content', 'Where it leads, or what it says.', '198.51.100.4', { minLength: 1 });
const FURTHER = {
  ttl: integer('TTL', 'Seconds; 1 for automatic.', 1, { minimum: 1, maximum: 86_400 }),
  proxied: flag('Proxied', 'Whether visitors come through Cloudflare.'),
  priority: integer('Priority', 'Of an MX record.', 10, { minimum: 0, maximum: 65_535 }),
  comment: text('Comment', 'For people.', 'Made by a workflow'),
};
const RECORD = outputOf({
  id: text('Id', 'Of the record.', '372e67954025e0ba6aaa6d586b9e0b59'),
  type: text('Type', 'Of the record.', 'A'),
  name: NAME,
  content: CONTENT,
});
const IDENTIFIED = outputOf({ id: text('Id', 'Of what was done.', '372e67954025e0ba6aaa6d586b9e0b59') });
const read = inside('result');
const pages = byPage({ items: 'result', page: 'page', first: 1, last: 'result_info.total_pages' });

const actions: readonly HttpAction[] = [
  asks('verify_token', 'Try the connection', 'Whether the token counts.', {
    output: outputOf({
      id: text('Id', 'Of the token.', 'ed17574386854bf78a67040be0a770b0'),
      status: text('Status', 'A word.', 'active'),
    }),
    call: 'GET /user/tokens/verify',
    read,
  }),
  asks('list_zones', 'List zones', 'Zones that the token sees.', {
    may: { name: text('Domain', 'Only that.', 'example.com') },
    item: outputOf({
      id: text('Id', 'Of the zone.', '023e105f4ecef8ad9ca31a8372d0c353'),
      name: text('Domain', 'Its name.', 'example.com'),
    }),
    call: 'GET /zones',
    query: { page: 1, per_page: 50 },
    pages,
  }),
  asks('list_dns_records', 'List DNS records', 'Records of a zone.', {
    needs: ZONE,
    may: { type: TYPE, name: NAME },
    item: RECORD,
    call: 'GET /zones/{zone}/dns_records',
    query: { page: 1, per_page: 100 },
    pages,
  }),
  does('create_dns_record', 'Create a DNS record', 'Adds a record to a zone.', {
    needs: { ...ZONE, type: TYPE, name: NAME, content: CONTENT },
    may: FURTHER,
    output: RECORD,
    call: 'POST /zones/{zone}/dns_records',
    body: { ttl: 1 },
    read,
  }),
  settles('update_dns_record', 'Change a DNS record', 'Sets what is given of a record.', {
    needs: { ...ZONE, ...RECORD_ID },
    may: { type: TYPE, name: NAME, content: CONTENT, ...FURTHER },
    output: RECORD,
    call: 'PATCH /zones/{zone}/dns_records/{record}',
    read,
  }),
  settles('delete_dns_record', 'Delete a DNS record', 'Takes a record away.', {
    needs: { ...ZONE, ...RECORD_ID },
    output: IDENTIFIED,
    call: 'DELETE /zones/{zone}/dns_records/{record}',
    read,
  }),
  settles('purge_files', 'Empty the cache of files', 'Has files fetched anew.', {
    needs: {
      ...ZONE,
      files: list({ type: 'string' }, 'Files', 'Their URLs.', ['https://shop.example.com/style.css'], {
        minItems: 1,
        maxItems: 100,
      }),
    },
    output: IDENTIFIED,
    call: 'POST /zones/{zone}/purge_cache',
    read,
  }),
  settles('purge_everything', 'Empty the cache', 'Has everything fetched anew.', {
    needs: ZONE,
    output: IDENTIFIED,
    call: 'POST /zones/{zone}/purge_cache',
    body: { purge_everything: true },
    read,
  }),
];

export const cloudflare: Connector = {
  name: 'cloudflare',
  title: 'Cloudflare',
  description: 'Zones, DNS records and the cache.',
  category: 'Operations',
  docs: 'https://developers.cloudflare.com/api/',
  auth: {
    required: true,
    fields: [
      hidden(
        'token',
        'API token',
        'My profile, API tokens; with rights on the zones in question.',
        'v1.0-0123456789abcdef',
      ),
    ],
  },
  base: () => 'https://api.cloudflare.com/client/v4',
  sign: bearer('token'),
  fault: worded({
    message: [
      (answer) => {
        const message = messageAt('errors', 0, 'message')(answer);
        const why = bodyAt(answer, 'errors[0].error_chain[0].message');
        return message === null || typeof why !== 'string' ? message : `${message}: ${why}`;
      },
    ],
    code: codeAt('errors[0].code'),
  }),
  probe: { action: 'verify_token', input: {} },
  actions,
};
