import { parentPort } from 'node:worker_threads';
import type { Asked, BuiltSegment, CallName } from './calls';
import { Engine } from './engine';
import type { FromThread, ToThread } from './messages';
import { Abandoned, Slices } from './slices';

/** The thread that holds and searches segments: several pieces of work in turns, none for long. */
async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread');
  const engine = Engine.create();
  const underWay = new Map<number, Slices>();

  const answer = async (id: number, call: CallName, asked: unknown): Promise<void> => {
    const slices = new Slices();
    underWay.set(id, slices);
    try {
      // The other side has paired the call with what it takes.
      const answered = await (await engine).answer(call, asked as Asked<typeof call>, slices);
      const message: FromThread = { kind: 'answer', id, answer: answered };
      port.postMessage(message, movable(answered));
    } catch (fault) {
      if (fault instanceof Abandoned) return;
      const message: FromThread = {
        kind: 'fault',
        id,
        message: fault instanceof Error ? fault.message : String(fault),
      };
      port.postMessage(message);
    } finally {
      underWay.delete(id);
    }
  };

  port.on('message', (message: ToThread) => {
    if (message.kind === 'abandon') underWay.get(message.id)?.abandon();
    else void answer(message.id, message.call, message.asked);
  });
}

/** The bytes of a new segment go over without being copied. */
function movable(answered: unknown): ArrayBuffer[] {
  if (typeof answered !== 'object' || answered === null || !('table' in answered) || !('data' in answered)) return [];
  const { table, data } = answered as BuiltSegment;
  return [table.buffer, data.buffer];
}

void main();
