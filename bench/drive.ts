import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { LoadMessage, LoadOrder, LoadResult } from './load';

/** Has another process make the load. @throws Error when it ends without a result */
export function drive(order: LoadOrder, onProgress: (answered: number) => void = () => {}): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(join(__dirname, 'load.js'), [JSON.stringify(order)], { stdio: ['ignore', 2, 2, 'ipc'] });
    let result: LoadResult | undefined;
    child.on('message', (message: LoadMessage) => {
      if (message.kind === 'progress') onProgress(message.answered);
      else result = message.result;
    });
    child.on('error', reject);
    child.on('exit', (code) =>
      result === undefined ? reject(new Error(`The load process ended with ${code}`)) : resolve(result),
    );
  });
}
