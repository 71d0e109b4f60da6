import type { SignatureScheme } from './scheme';

const HEX = { algorithm: 'sha256', encoding: 'hex', signed: '{body}' } as const;
const BASE64 = { algorithm: 'sha256', encoding: 'base64', signed: '{body}' } as const;
const FIVE_MINUTES = { toleranceMs: 300_000 } as const;

/** `t=<seconds>,v1=<hex>` over `<seconds>.<body>`; several `v1` while a secret is rotated. */
const timedList = (header: string): SignatureScheme => ({
  header,
  ...HEX,
  ...FIVE_MINUTES,
  signed: '{timestamp}.{body}',
  separator: ',',
  prefix: 'v1=',
  timestamp: { prefix: 't=' },
});

/** https://www.standardwebhooks.com; the secret is base64 behind `whsec_`. */
const standard = (name: string): SignatureScheme => ({
  header: `${name}-signature`,
  ...BASE64,
  ...FIVE_MINUTES,
  signed: '{id}.{timestamp}.{body}',
  separator: ' ',
  prefix: 'v1,',
  timestamp: { header: `${name}-timestamp` },
  idHeader: `${name}-id`,
  secret: 'whsec',
});

/** Signature schemes of well-known providers, by `preset`. */
export const SIGNATURE_PRESETS = {
  asana: { header: 'x-hook-signature', ...HEX },
  bitbucket: { header: 'x-hub-signature', ...HEX, prefix: 'sha256=' },
  calendly: timedList('calendly-webhook-signature'),
  dropbox: { header: 'x-dropbox-signature', ...HEX },
  gitea: { header: 'x-gitea-signature', ...HEX },
  github: { header: 'x-hub-signature-256', ...HEX, prefix: 'sha256=' },
  gitlab: { header: 'x-gitlab-token', ...HEX, algorithm: 'token' },
  intercom: { header: 'x-hub-signature', ...HEX, algorithm: 'sha1', prefix: 'sha1=' },
  jira: { header: 'x-hub-signature', ...HEX, prefix: 'sha256=' },
  linear: { header: 'linear-signature', ...HEX },
  meta: { header: 'x-hub-signature-256', ...HEX, prefix: 'sha256=' },
  paddle: {
    header: 'paddle-signature',
    ...HEX,
    ...FIVE_MINUTES,
    signed: '{timestamp}:{body}',
    separator: ';',
    prefix: 'h1=',
    timestamp: { prefix: 'ts=' },
  },
  pagerduty: { header: 'x-pagerduty-signature', ...HEX, separator: ',', prefix: 'v1=' },
  sentry: { header: 'sentry-hook-signature', ...HEX },
  shopify: { header: 'x-shopify-hmac-sha256', ...BASE64 },
  slack: {
    header: 'x-slack-signature',
    ...HEX,
    ...FIVE_MINUTES,
    signed: 'v0:{timestamp}:{body}',
    prefix: 'v0=',
    timestamp: { header: 'x-slack-request-timestamp' },
  },
  'standard-webhooks': standard('webhook'),
  stripe: timedList('stripe-signature'),
  svix: standard('svix'),
  typeform: { header: 'typeform-signature', ...BASE64, prefix: 'sha256=' },
  woocommerce: { header: 'x-wc-webhook-signature', ...BASE64 },
  zendesk: {
    header: 'x-zendesk-webhook-signature',
    ...BASE64,
    ...FIVE_MINUTES,
    signed: '{timestamp}{body}',
    timestamp: { header: 'x-zendesk-webhook-signature-timestamp' },
  },
} as const satisfies Record<string, SignatureScheme>;

export type SignaturePreset = keyof typeof SIGNATURE_PRESETS;
