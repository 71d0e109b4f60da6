import type { Json, JsonObject } from '../../../lib/json';
import { casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { token: 'v1.0-0123456789' },
  { authorization: 'Bearer v1.0-0123456789' },
);

const answered = (result: Json, more: JsonObject = {}): JsonObject => ({
  success: true,
  errors: [],
  messages: [],
  result,
  ...more,
});
const SHOP = { id: '372e', type: 'A', name: 'shop.example.com', content: '198.51.100.4' };
const ONE = { result_info: { page: 1, per_page: 50, total_pages: 1, count: 1, total_count: 1 } };

export const cases = [
  gives(
    ['verify_token', 'the token counts'],
    {},
    'GET /user/tokens/verify',
    answered({ id: 'ed17', status: 'active' }),
    { id: 'ed17', status: 'active' },
  ),
  fails(
    ['verify_token', 'a wrong token is rejected'],
    {},
    'GET /user/tokens/verify',
    { status: 401, json: { success: false, errors: [{ code: 1000, message: 'Invalid API Token' }], result: null } },
    { code: 'provider_1000', message: 'Cloudflare answered 401: Invalid API Token' },
  ),
  page(
    ['list_zones', 'zones by their name'],
    { name: 'example.com' },
    'GET /zones?page=1&per_page=50&name=example.com',
    answered([{ id: '023e', name: 'example.com' }], ONE),
    [{ id: '023e', name: 'example.com' }],
  ),
  pages(
    ['list_dns_records', 'pages are counted, up to the last'],
    { zone: '023e', type: 'A' },
    [
      [
        'GET /zones/023e/dns_records?page=1&per_page=100&type=A',
        { json: answered([SHOP], { result_info: { page: 1, total_pages: 2 } }) },
      ],
      [
        'GET /zones/023e/dns_records?page=2&per_page=100&type=A',
        { json: answered([{ ...SHOP, id: '372f' }], { result_info: { page: 2, total_pages: 2 } }) },
      ],
    ],
    [SHOP, { ...SHOP, id: '372f' }],
  ),
  gives(
    ['create_dns_record', 'a record is added'],
    { zone: '023e', type: 'A', name: 'shop.example.com', content: '198.51.100.4', proxied: true },
    [
      'POST /zones/023e/dns_records',
      { body: { ttl: 1, type: 'A', name: 'shop.example.com', content: '198.51.100.4', proxied: true } },
    ],
    answered(SHOP),
    SHOP,
  ),
  fails(
    ['create_dns_record', 'the reason of a refusal is shown'],
    { zone: '023e', type: 'A', name: 'shop', content: 'x' },
    ['POST /zones/023e/dns_records', { body: { ttl: 1, type: 'A', name: 'shop', content: 'x' } }],
    {
      status: 400,
      json: {
        success: false,
        errors: [
          {
            code: 1004,
            message: 'DNS Validation Error',
            error_chain: [{ code: 9005, message: 'Content for A record must be a valid IPv4 address.' }],
          },
        ],
        result: null,
      },
    },
    { code: 'provider_1004', message: 'DNS Validation Error: Content for A record must be a valid IPv4 address.' },
  ),
  gives(
    ['update_dns_record', 'a record leads elsewhere'],
    { zone: '023e', record: '372e', content: '198.51.100.5' },
    ['PATCH /zones/023e/dns_records/372e', { body: { content: '198.51.100.5' } }],
    answered({ ...SHOP, content: '198.51.100.5' }),
    { ...SHOP, content: '198.51.100.5' },
  ),
  gives(
    ['delete_dns_record', 'a record goes'],
    { zone: '023e', record: '372e' },
    'DELETE /zones/023e/dns_records/372e',
    answered({ id: '372e' }),
    { id: '372e' },
  ),
  gives(
    ['purge_files', 'files are fetched anew'],
    { zone: '023e', files: ['https://shop.example.com/style.css'] },
    ['POST /zones/023e/purge_cache', { body: { files: ['https://shop.example.com/style.css'] } }],
    answered({ id: '023e' }),
    { id: '023e' },
  ),
  gives(
    ['purge_everything', 'everything is fetched anew'],
    { zone: '023e' },
    ['POST /zones/023e/purge_cache', { body: { purge_everything: true } }],
    answered({ id: '023e' }),
    { id: '023e' },
  ),
  fails(
    ['verify_token', 'a limit is waited for'],
    {},
    'GET /user/tokens/verify',
    {
      status: 429,
      headers: { 'retry-after': '60' },
      json: { success: false, errors: [{ code: 971, message: 'Please wait and consider throttling your requests' }] },
    },
    { code: 'provider_971', message: 'Please wait', retryable: true, retryAfterMs: 60_000 },
  ),
];
