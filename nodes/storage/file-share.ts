import { parseDuration } from '../../lib/duration';
import { filePath } from '../../lib/file-path';
import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { done, invalidConfig } from '../outcome';
import { durationSchema, objectSchema, text } from '../schema';
import { fileOutcome } from './file-call';
import { PATH } from './file-schema';

/** Shares a file. One that is shared already keeps its address. */
async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
  const { path, expires } = ctx.input as { path: string; expires?: string | number };
  const place = filePath(path);
  if (place.kind === 'unusable') return invalidConfig(ctx.redact(`"path" is invalid: ${place.problem}`));
  const until = untilOf(expires, ctx.now);
  if (until === 'invalid') return invalidConfig('"expires" must be a duration from 1s to 100 years, as 7d');
  const share = () => ctx.files.share({ path: place.path, until });
  return fileOutcome(ctx, `share ${place.path}`, share, ({ url, id }) =>
    done({ url, id, expires_at: until === null ? null : new Date(until).toISOString() }),
  );
}

function untilOf(expires: string | number | undefined, now: number): number | null | 'invalid' {
  if (expires === undefined) return null;
  const ms = parseDuration(expires);
  return ms === null || ms < 1_000 ? 'invalid' : now + ms;
}

export const fileShareNode = defineNode({
  type: 'file_share',
  title: 'Share file',
  description: 'Creates a public download URL for a file of the run.',
  category: 'Storage',
  effect: 'write',
  // One that is shared keeps its address.
  onInterrupted: 'retry',
  input: objectSchema(
    {
      path: PATH,
      expires: durationSchema('Expires', 'How long the URL is valid. Default: as long as the file exists.', '7d'),
    },
    ['path'],
  ),
  output: objectSchema(
    {
      url: text('Public download URL.'),
      id: text('Token of the URL; it grants access to the file.', { title: 'Id' }),
      expires_at: { type: ['string', 'null'], title: 'Expires at', description: 'Expiry of the URL; null for never.' },
    },
    ['url', 'id', 'expires_at'],
  ),
  run,
});
