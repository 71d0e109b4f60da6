import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SIGNATURE_PRESETS, type SignaturePreset } from '../../../lib/webhook-signature/presets';
import type { SignatureScheme } from '../../../lib/webhook-signature/scheme';
import { schemeOf } from '../../../lib/webhook-signature/setting';
import { signatureFault } from '../../../lib/webhook-signature/verify';

const SECRET = 'It is the key';
const NOW = Date.parse('2026-11-23T12:00:00Z');
const SECONDS = String(NOW / 1_000);
const body = Buffer.from('{"id": 7, "text": "\u00e9\u2028"}');

const mac = (algorithm: string, key: string | Buffer, encoding: 'hex' | 'base64', ...parts: (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHmac(algorithm, key)).digest(encoding);

const check = (scheme: SignatureScheme, headers: Record<string, string>, secret = SECRET, now = NOW) =>
  signatureFault(scheme, secret, { headers, body }, now);

/** Requests as each provider documents them, made independently of the presets. */
const SENT: Readonly<Record<SignaturePreset, Record<string, string>>> = {
  asana: { 'x-hook-signature': mac('sha256', SECRET, 'hex', body) },
  bitbucket: { 'x-hub-signature': `sha256=${mac('sha256', SECRET, 'hex', body)}` },
  calendly: { 'calendly-webhook-signature': `t=${SECONDS},v1=${mac('sha256', SECRET, 'hex', `${SECONDS}.`, body)}` },
  dropbox: { 'x-dropbox-signature': mac('sha256', SECRET, 'hex', body) },
  gitea: { 'x-gitea-signature': mac('sha256', SECRET, 'hex', body) },
  github: { 'x-hub-signature-256': `sha256=${mac('sha256', SECRET, 'hex', body)}` },
  gitlab: { 'x-gitlab-token': SECRET },
  intercom: { 'x-hub-signature': `sha1=${mac('sha1', SECRET, 'hex', body)}` },
  jira: { 'x-hub-signature': `sha256=${mac('sha256', SECRET, 'hex', body)}` },
  linear: { 'linear-signature': mac('sha256', SECRET, 'hex', body) },
  meta: { 'x-hub-signature-256': `sha256=${mac('sha256', SECRET, 'hex', body)}` },
  paddle: { 'paddle-signature': `ts=${SECONDS};h1=${mac('sha256', SECRET, 'hex', `${SECONDS}:`, body)}` },
  pagerduty: { 'x-pagerduty-signature': `v1=${'0'.repeat(64)},v1=${mac('sha256', SECRET, 'hex', body)}` },
  sentry: { 'sentry-hook-signature': mac('sha256', SECRET, 'hex', body) },
  shopify: { 'x-shopify-hmac-sha256': mac('sha256', SECRET, 'base64', body) },
  slack: {
    'x-slack-signature': `v0=${mac('sha256', SECRET, 'hex', `v0:${SECONDS}:`, body)}`,
    'x-slack-request-timestamp': SECONDS,
  },
  'standard-webhooks': {
    'webhook-id': 'msg_1',
    'webhook-timestamp': SECONDS,
    'webhook-signature': `v1,AAAA v1,${mac('sha256', Buffer.from(SECRET), 'base64', `msg_1.${SECONDS}.`, body)}`,
  },
  stripe: {
    'stripe-signature': `t=${SECONDS},v1=${'0'.repeat(64)},v1=${mac('sha256', SECRET, 'hex', `${SECONDS}.`, body)},v0=x`,
  },
  svix: {
    'svix-id': 'msg_1',
    'svix-timestamp': SECONDS,
    'svix-signature': `v1,${mac('sha256', Buffer.from(SECRET), 'base64', `msg_1.${SECONDS}.`, body)}`,
  },
  typeform: { 'typeform-signature': `sha256=${mac('sha256', SECRET, 'base64', body)}` },
  woocommerce: { 'x-wc-webhook-signature': mac('sha256', SECRET, 'base64', body) },
  zendesk: {
    'x-zendesk-webhook-signature': mac('sha256', SECRET, 'base64', '2026-11-23T12:00:00Z', body),
    'x-zendesk-webhook-signature-timestamp': '2026-11-23T12:00:00Z',
  },
};

describe.each(Object.entries(SENT) as [SignaturePreset, Record<string, string>][])(
  'the preset %s',
  (preset, headers) => {
    const scheme: SignatureScheme = SIGNATURE_PRESETS[preset];
    const secret = scheme.secret === 'whsec' ? `whsec_${Buffer.from(SECRET).toString('base64')}` : SECRET;

    it('accepts a signed request', () => {
      expect(check(scheme, headers, secret)).toBeNull();
    });

    it('refuses another secret, another body and missing headers', () => {
      const other = scheme.secret === 'whsec' ? 'whsec_b3RoZXI=' : 'other';
      expect(check(scheme, headers, other)).toMatch(/is wrong$/);
      for (const name of Object.keys(headers)) expect(check(scheme, { ...headers, [name]: '' }, secret)).not.toBeNull();
      expect(check(scheme, {}, secret)).toMatch(/is missing$/);
      if (scheme.algorithm !== 'token')
        expect(signatureFault(scheme, secret, { headers, body: Buffer.from('{}') }, NOW)).toMatch(/is wrong$/);
    });

    if (scheme.timestamp !== undefined)
      it('refuses a request from another time', () => {
        expect(check(scheme, headers, secret, NOW + 301_000)).toMatch(/more than 300 seconds/);
        expect(check(scheme, headers, secret, NOW - 301_000)).toMatch(/more than 300 seconds/);
        expect(check(scheme, headers, secret, NOW + 299_000)).toBeNull();
      });
  },
);

describe('a signature without a preset', () => {
  it('is HMAC-SHA-256 of the body in hex by default', () => {
    const scheme = schemeOf({ secret: '{{ secret.A }}', header: 'X-Signature' });
    expect(check(scheme, { 'x-signature': mac('sha256', SECRET, 'hex', body).toUpperCase() })).toBeNull();
  });

  it('signs the time of a header', () => {
    const scheme = schemeOf({
      secret: '',
      header: 'x-sig',
      timestamp_header: 'X-Time',
      algorithm: 'sha512',
      tolerance: '10s',
    });
    const headers = { 'x-sig': mac('sha512', SECRET, 'hex', `${SECONDS}.`, body), 'x-time': SECONDS };
    expect(check(scheme, headers)).toBeNull();
    expect(check(scheme, headers, SECRET, NOW + 11_000)).toMatch(/more than 10 seconds/);
    expect(check(scheme, { ...headers, 'x-time': 'soon' })).toMatch(/missing or invalid/);
    expect(check(scheme, { ...headers, 'x-time': String(NOW / 1_000 + 1) })).toMatch(/is wrong/);
  });

  it('is not checked with an empty key', () => {
    const scheme: SignatureScheme = { ...SIGNATURE_PRESETS.svix, signed: '{body}' };
    const headers = {
      'svix-id': 'm',
      'svix-timestamp': SECONDS,
      'svix-signature': `v1,${mac('sha256', '', 'base64', body)}`,
    };
    for (const secret of ['whsec_', 'whsec_****', '', '????'])
      expect(check(scheme, headers, secret)).toBe('The signature secret is empty');
  });

  it('never reads a header from a prototype', () => {
    expect(check(schemeOf({ secret: '', header: 'constructor' }), {})).toMatch(/is missing/);
  });
});

it('has every preset in its page', () => {
  const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'webhooks.md'), 'utf8');
  const [, listed = ''] = /`preset` is one of (.*?)\. For/s.exec(page) ?? [];
  expect(listed.split(', ')).toEqual(Object.keys(SIGNATURE_PRESETS).map((preset) => `\`${preset}\``));
});
