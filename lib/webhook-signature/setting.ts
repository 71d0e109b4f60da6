import { parseDuration } from '../duration';
import { SIGNATURE_PRESETS, type SignaturePreset } from './presets';
import type { SignatureScheme } from './scheme';

/** The setting `signature` of an `http` trigger: a preset, or a custom scheme. */
export interface SignatureSetting {
  /** `{{ secret.NAME }}` */
  readonly secret: string;
  readonly preset?: SignaturePreset;
  readonly header?: string;
  readonly algorithm?: (typeof SIGNATURE_ALGORITHMS)[number];
  readonly encoding?: 'hex' | 'base64';
  readonly prefix?: string;
  readonly signed?: string;
  readonly timestamp_header?: string;
  readonly tolerance?: string | number;
}

export const SIGNATURE_ALGORITHMS = ['sha256', 'sha1', 'sha512', 'token'] as const;

const DEFAULT_TOLERANCE_MS = 300_000;

/** The scheme of a setting, which was validated when its document was saved. */
export function schemeOf(setting: SignatureSetting): SignatureScheme {
  const tolerance = setting.tolerance === undefined ? null : parseDuration(setting.tolerance);
  const own = tolerance === null ? {} : { toleranceMs: tolerance };
  if (setting.preset !== undefined) return { ...SIGNATURE_PRESETS[setting.preset], ...own };
  const { timestamp_header: timestamp } = setting;
  return {
    header: (setting.header ?? '').toLowerCase(),
    algorithm: setting.algorithm ?? 'sha256',
    encoding: setting.encoding ?? 'hex',
    prefix: setting.prefix ?? '',
    signed: setting.signed ?? (timestamp === undefined ? '{body}' : '{timestamp}.{body}'),
    ...(timestamp === undefined
      ? {}
      : { timestamp: { header: timestamp.toLowerCase() }, toleranceMs: DEFAULT_TOLERANCE_MS, ...own }),
  };
}
