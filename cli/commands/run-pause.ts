import { command } from '../command';
import { runPath } from '../watch';

const RUN = [{ name: 'RUN' }] as const;
const OPTIONS = { reason: { type: 'string', value: 'TEXT', help: 'shown with the run' } } as const;

const bodyOf = ({ reason }: { readonly reason: string | undefined }): { reason?: string } =>
  reason === undefined ? {} : { reason };

/** Pauses a run. */
export const pauseRun = command({
  name: 'run pause',
  summary: 'Pauses a run: steps in progress end, no other begins',
  args: RUN,
  options: OPTIONS,
  async run({ args: [id = ''], options, session }) {
    const run = await session.client.call('POST', `${runPath(id)}/pause`, bodyOf(options));
    session.answer(run, () => session.world.out.line('Run ', id, ' is paused'));
    return 'ok';
  },
});

/** Resumes a paused run. */
export const resumeRun = command({
  name: 'run resume',
  summary: 'Resumes a paused run',
  args: RUN,
  options: OPTIONS,
  async run({ args: [id = ''], options, session }) {
    const run = await session.client.call('POST', `${runPath(id)}/resume`, bodyOf(options));
    session.answer(run, () => session.world.out.line('Run ', id, ' is resumed'));
    return 'ok';
  },
});
