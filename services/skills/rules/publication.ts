/** Which version a publication makes, and what the registry then has. Pure. */
import { gt, inc, prerelease, rcompare } from 'semver';
import { parseVersion } from './version';

/** A version that was published once. It stays on record for good, so that its number is never used again. */
export interface PublishedVersion {
  readonly version: string;
  readonly hash: string;
  /** Of its content. */
  readonly bytes: number;
  readonly notes: string | null;
  /** RFC 3339. */
  readonly published_at: string;
  readonly withdrawn_at: string | null;
}

/** What is asked of a publication. */
interface PublicationAsked {
  readonly version?: string | undefined;
  readonly bump?: 'major' | 'minor' | 'patch' | undefined;
}

/** A new version; one that is there already (`again`), with the same content; or why neither. */
type PublicationDecision =
  | { readonly kind: 'new'; readonly version: string }
  | { readonly kind: 'again'; readonly version: string }
  | { readonly kind: 'refused'; readonly code: 'invalid_request' | 'conflict'; readonly message: string };

const FIRST = '1.0.0';
const MAX_VERSIONS = 200;

/**
 * The version that is asked for; else the one of the definition where it is newer than all; else the next one. A content
 * that the newest version has already needs no other.
 */
export function decidePublication(
  versions: readonly PublishedVersion[],
  { hash, own }: { readonly hash: string; readonly own: string | null },
  { version, bump }: PublicationAsked,
): PublicationDecision {
  if (version !== undefined && bump !== undefined)
    return { kind: 'refused', code: 'invalid_request', message: 'Send either "version" or "bump", and not both' };
  const asked = version === undefined ? null : parseVersion(version);
  if (version !== undefined && asked === null)
    return { kind: 'refused', code: 'invalid_request', message: 'The version must be one such as 1.2.0 (semver.org)' };
  const newest = newestOf(versions);
  const chosen =
    asked !== null
      ? asked
      : bump === undefined && newest?.hash === hash
        ? newest.version
        : nextVersion(newest, own, bump);
  if (chosen === null || parseVersion(chosen) === null)
    return { kind: 'refused', code: 'conflict', message: `${newest?.version} has no next version of that kind` };
  const there = versions.find((each) => each.version === chosen);
  if (there?.hash === hash) return { kind: 'again', version: chosen };
  if (there !== undefined) {
    const message = `Version ${chosen} was published with another content, and never changes; publish it as another version`;
    return { kind: 'refused', code: 'conflict', message };
  }
  if (versions.length >= MAX_VERSIONS)
    return { kind: 'refused', code: 'conflict', message: `A skill has at most ${MAX_VERSIONS} versions` };
  return { kind: 'new', version: chosen };
}

/** Null where the numbers of versions have come to their end. */
function nextVersion(
  newest: PublishedVersion | null,
  own: string | null,
  bump: PublicationAsked['bump'],
): string | null {
  if (newest === null) return own ?? FIRST;
  if (bump === undefined && own !== null && gt(own, newest.version)) return own;
  return inc(newest.version, bump ?? 'patch');
}

/** Of those that are on record, withdrawn ones too. */
const newestOf = (versions: readonly PublishedVersion[]): PublishedVersion | null => newestFirst(versions)[0] ?? null;

/** By rank, the newest first. */
export const newestFirst = <T extends { readonly version: string }>(versions: readonly T[]): T[] =>
  [...versions].sort((a, b) => rcompare(a.version, b.version));

/** The default version: the newest release, or else the newest pre-release; null without any. */
export function currentOf(versions: readonly PublishedVersion[]): PublishedVersion | null {
  const available = newestFirst(versions.filter(({ withdrawn_at }) => withdrawn_at === null));
  return available.find(({ version }) => prerelease(version) === null) ?? available[0] ?? null;
}

/** The versions with one more, or one that is there again. */
export function withVersion(versions: readonly PublishedVersion[], made: PublishedVersion): PublishedVersion[] {
  const others = versions.filter(({ version }) => version !== made.version);
  const there = versions.find(({ version }) => version === made.version);
  return [...others, there === undefined ? made : { ...there, withdrawn_at: null }];
}

/** The versions without those that are taken out, which stay on record; `version` null takes out all. */
export const withdrawn = (
  versions: readonly PublishedVersion[],
  version: string | null,
  at: string,
): PublishedVersion[] =>
  versions.map((each) =>
    each.withdrawn_at === null && (version === null || each.version === version) ? { ...each, withdrawn_at: at } : each,
  );
