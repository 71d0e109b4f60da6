import { type Compute, ComputeError, defineTask } from '../../../lib/compute';
import { AppError } from '../../../lib/errors';
import type { SkillDraft } from '../../../contracts/skills/views';
import { readBundle } from './bundle';
import { hashOf } from './content';
import { type Validation, assertValid, valid } from './validation';
import { fileView } from './files';

export const draftTask = defineTask(
  'services/skills/rules/draft',
  'draftTask',
  (bundle: Uint8Array): Validation<SkillDraft> => {
    const read = readBundle(bundle);
    if (read.kind === 'invalid') return read;
    const { head, instructions, files, warnings } = read.value;
    const { version: _version, ...rest } = head;
    const hash = hashOf({ head: rest, instructions, files });
    return valid({ ...head, instructions, files: files.map(fileView), hash, warnings: [...warnings] });
  },
);

/**
 * Parses a bundle on a compute thread, because archives can be large.
 * @throws AppError invalid_request with every error, unavailable
 */
export async function draftIn(compute: Compute, bundle: Uint8Array): Promise<SkillDraft> {
  // A copy with its own buffer, which is transferred to the thread.
  const bytes = Uint8Array.from(bundle);
  return assertValid(
    await compute.run(draftTask, bytes, { transfer: [bytes.buffer] }).catch(throwComputeError),
    'The bundle',
  );
}

function throwComputeError(fault: unknown): never {
  if (!(fault instanceof ComputeError)) throw fault;
  if (fault.retryable) throw new AppError('unavailable', fault.message, {}, { cause: fault });
  throw new AppError('invalid_request', 'The bundle is too complex to parse', {}, { cause: fault });
}
