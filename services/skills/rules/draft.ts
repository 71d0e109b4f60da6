import { type Compute, ComputeError, defineTask } from '../../../lib/compute';
import { AppError } from '../../../lib/errors';
import type { SkillDraft } from '../../../contracts/skills/views';
import { readBundle } from './bundle';
import { hashOf } from './content';
import { type Checked, must, value } from './fault';
import { fileView } from './files';

export const draftTask = defineTask(
  'services/skills/rules/draft',
  'draftTask',
  (bundle: Uint8Array): Checked<SkillDraft> => {
    const read = readBundle(bundle);
    if (read.kind === 'faults') return read;
    const { head, instructions, files, warnings } = read.value;
    const { version: _version, ...rest } = head;
    const hash = hashOf({ head: rest, instructions, files });
    return value({ ...head, instructions, files: files.map(fileView), hash, warnings: [...warnings] });
  },
);

/**
 * The skill in a bundle, read on a compute thread: archives can have many entries and large ones.
 * @throws AppError invalid_request with every fault, unavailable
 */
export async function draftIn(compute: Compute, bundle: Uint8Array): Promise<SkillDraft> {
  // A copy with a buffer of its own, which is handed over.
  const bytes = Uint8Array.from(bundle);
  return must(await compute.run(draftTask, bytes, { transfer: [bytes.buffer] }).catch(notRead), 'The bundle');
}

function notRead(fault: unknown): never {
  if (!(fault instanceof ComputeError)) throw fault;
  if (fault.retryable) throw new AppError('unavailable', fault.message, {}, { cause: fault });
  throw new AppError('invalid_request', 'The bundle takes too much work to read', {}, { cause: fault });
}
