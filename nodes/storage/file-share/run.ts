import { parseDuration } from '../../../lib/duration';
import { filePath } from '../../../lib/file-path';
import type { NodeContext, Outcome } from '../../contract';
import { done, invalidConfig } from '../../outcome';
import { filed } from '../file-answer';

/** Shares a file. One that is shared already keeps its address. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
  const { path, expires } = ctx.input as { path: string; expires?: string | number };
  const place = filePath(path);
  if (place.kind === 'unusable') return invalidConfig(ctx.mask(`"path" cannot be used: ${place.problem}`));
  const until = untilOf(expires, ctx.now);
  if (until === 'invalid') return invalidConfig('"expires" must be a duration from 1s to 100 years, as 7d');
  const share = () => ctx.files.share({ path: place.path, until });
  return filed(ctx, `share ${place.path}`, share, ({ url, id }) =>
    done({ url, id, expires_at: until === null ? null : new Date(until).toISOString() }),
  );
}

function untilOf(expires: string | number | undefined, now: number): number | null | 'invalid' {
  if (expires === undefined) return null;
  const ms = parseDuration(expires);
  return ms === null || ms < 1_000 ? 'invalid' : now + ms;
}
