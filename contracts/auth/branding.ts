import { maybe } from './params';
import { actions } from '../contract';
import { id } from '../rules';
import * as s from '../../lib/schema';

/** What the keys of caches of brandings begin with, in `cache.stale`; then the tenant. */
export const BRANDING_KEY = 'auth:branding:';

export const MAX_LOGO_BYTES = 100 * 1024;
export const MAX_LOGO_PIXELS = 2_000;
export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

const BrandLogo = s.named(
  'BrandLogo',
  s.object({
    path: s.text.about('Where anyone can load the image, below the address of the installation.'),
    content_type: s.words(...LOGO_TYPES),
    width: s.number,
    height: s.number,
    size: s.number.about('In bytes.'),
  }),
  'The logo of a workspace.',
);

export const BrandingView = s.named(
  'BrandingView',
  s.object({
    name: s.text.nullable().about('Above every public page; null for none.'),
    color: s.text.nullable().about('Such as `#4458d8`; null for the colour of the product.'),
    logo: BrandLogo.nullable(),
    updated_at: s.text.nullable(),
  }),
  "What a workspace's public pages show of it: forms, approvals and chats.",
);
export type BrandingView = s.Infer<typeof BrandingView>;

/** What pages for visitors need. */
export type Branding = Omit<BrandingView, 'updated_at'>;

/** Name, logo and colour of a workspace, for its pages that need no sign-in. */
export const brandingActions = actions({
  branding: {
    rest: 'GET /api/v1/tenant/branding',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Name, logo and colour on the public pages of the workspace',
    params: {},
    result: BrandingView,
  },
  update_branding: {
    rest: 'PUT /api/v1/tenant/branding',
    access: 'admin',
    repeatable: true,
    integrators: true,
    summary: 'Changes name, logo and colour of the public pages',
    description: `Changes the fields that are given; null removes one. \`logo\`: a PNG, JPEG or WebP image in base64, at most ${MAX_LOGO_BYTES / 1024} KiB and ${MAX_LOGO_PIXELS} pixels wide and high. Any colour will do: pages choose colours of texts by contrast.`,
    params: {
      name: { type: 'string', trim: true, min: 1, max: 100, ...maybe },
      color: {
        type: 'string',
        lowercase: true,
        pattern: /^#[0-9a-f]{6}$/i,
        messages: { stringPattern: "The 'color' must be # and six hexadecimal digits, such as #4458d8." },
        ...maybe,
      },
      logo: { type: 'string', min: 1, max: Math.ceil((MAX_LOGO_BYTES * 4) / 3) + 4, ...maybe },
    },
    result: BrandingView,
    errors: ['unsupported_media_type', 'payload_too_large'],
  },
  /** The same for the pages themselves. */
  public_branding: {
    access: 'internal',
    repeatable: true,
    summary: "What the tenant's public pages show of it",
    params: {},
    result: s.typed<Branding>(),
  },
  /** By the id in its address, which changes with the image; whose it is does not matter. */
  logo: {
    access: 'internal',
    repeatable: true,
    summary: 'The logo at a public address',
    params: { id },
    result: s.typed<{ content_type: LogoType; data: string }>(),
    errors: ['not_found'],
  },
});
