/** Version rules of the registry. Pure. */
import { gt, inc, prerelease, rcompare } from 'semver';
import { parseVersion } from './version';

/** A published version. Withdrawn versions stay recorded, so that a version number is never reused. */
export interface PublishedVersion {
  readonly version: string;
  readonly hash: string;
  readonly bytes: number;
  readonly notes: string | null;
  /** RFC 3339. */
  readonly published_at: string;
  readonly withdrawn_at: string | null;
}

interface PublicationRequest {
  readonly version?: string | undefined;
  readonly bump?: 'major' | 'minor' | 'patch' | undefined;
}

/** `existing`: the version is already published with the same content. */
type PublicationDecision =
  | { readonly kind: 'new'; readonly version: string }
  | { readonly kind: 'existing'; readonly version: string }
  | { readonly kind: 'refused'; readonly code: 'invalid_request' | 'conflict'; readonly message: string };

const FIRST_VERSION = '1.0.0';
const MAX_VERSIONS = 200;

/**
 * Chooses the requested version; else the definition's version if it is newer than all; else the next version. If the
 * newest version has the same content and nothing is requested, chooses that one.
 */
export function decidePublication(
  versions: readonly PublishedVersion[],
  { hash, own }: { readonly hash: string; readonly own: string | null },
  { version, bump }: PublicationRequest,
): PublicationDecision {
  if (version !== undefined && bump !== undefined)
    return { kind: 'refused', code: 'invalid_request', message: 'Send either "version" or "bump", and not both' };
  const requested = version === undefined ? null : parseVersion(version);
  if (version !== undefined && requested === null)
    return {
      kind: 'refused',
      code: 'invalid_request',
      message: 'The version must be a semantic version such as 1.2.0 (semver.org)',
    };
  const newest = newestOf(versions);
  const chosen =
    requested !== null
      ? requested
      : bump === undefined && newest?.hash === hash
        ? newest.version
        : nextVersion(newest, own, bump);
  if (chosen === null || parseVersion(chosen) === null)
    return { kind: 'refused', code: 'conflict', message: `${newest?.version} has no next version of that kind` };
  const existing = versions.find((each) => each.version === chosen);
  if (existing?.hash === hash) return { kind: 'existing', version: chosen };
  if (existing !== undefined) {
    const message = `Version ${chosen} was published with another content and cannot change; publish another version`;
    return { kind: 'refused', code: 'conflict', message };
  }
  if (versions.length >= MAX_VERSIONS)
    return { kind: 'refused', code: 'conflict', message: `A skill has at most ${MAX_VERSIONS} versions` };
  return { kind: 'new', version: chosen };
}

/** Null if the version number would overflow. */
function nextVersion(
  newest: PublishedVersion | null,
  own: string | null,
  bump: PublicationRequest['bump'],
): string | null {
  if (newest === null) return own ?? FIRST_VERSION;
  if (bump === undefined && own !== null && gt(own, newest.version)) return own;
  return inc(newest.version, bump ?? 'patch');
}

/** Includes withdrawn versions. */
const newestOf = (versions: readonly PublishedVersion[]): PublishedVersion | null => newestFirst(versions)[0] ?? null;

/** Sorts by semantic version, newest first. */
export const newestFirst = <T extends { readonly version: string }>(versions: readonly T[]): T[] =>
  [...versions].sort((a, b) => rcompare(a.version, b.version));

/** The default version: the newest release, or else the newest pre-release; null without any. */
export function currentOf(versions: readonly PublishedVersion[]): PublishedVersion | null {
  const available = newestFirst(versions.filter(({ withdrawn_at }) => withdrawn_at === null));
  return available.find(({ version }) => prerelease(version) === null) ?? available[0] ?? null;
}

/** Adds a version, or restores a withdrawn one. */
export function withVersion(versions: readonly PublishedVersion[], added: PublishedVersion): PublishedVersion[] {
  const others = versions.filter(({ version }) => version !== added.version);
  const existing = versions.find(({ version }) => version === added.version);
  return [...others, existing === undefined ? added : { ...existing, withdrawn_at: null }];
}

/** Marks a version, or all of them (null), as withdrawn. */
export const withdraw = (
  versions: readonly PublishedVersion[],
  version: string | null,
  at: string,
): PublishedVersion[] =>
  versions.map((each) =>
    each.withdrawn_at === null && (version === null || each.version === version) ? { ...each, withdrawn_at: at } : each,
  );
