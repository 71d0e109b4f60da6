import { addAbortListener } from 'node:events';
import { InFlightAttempt } from '../../../runtime/execution/in-flight-attempt';
import { settle } from '../../support/manual-clock';

describe('an attempt in flight', () => {
  it('reports what abort listeners throw, and calls the other listeners', async () => {
    const faults: unknown[] = [];
    const called: string[] = [];
    const attempt = new InFlightAttempt((fault) => void faults.push(fault));
    const { signal } = attempt;
    signal.addEventListener('abort', () => {
      throw new Error('first');
    });
    const rejects: () => unknown = () => Promise.reject(new Error('second'));
    signal.addEventListener('abort', rejects);
    signal.addEventListener('abort', {
      handleEvent: () => {
        throw new Error('third');
      },
    });
    signal.onabort = () => {
      throw new Error('fourth');
    };
    addAbortListener(signal, () => called.push('node'));
    const removed = (): void => void called.push('removed');
    signal.addEventListener('abort', removed);
    signal.removeEventListener('abort', removed);
    signal.addEventListener('abort', () => called.push('last'), { once: true });
    const combined = AbortSignal.any([signal]);
    attempt.abort();
    await settle();
    expect(faults.map(String).sort()).toEqual(['Error: first', 'Error: fourth', 'Error: second', 'Error: third']);
    expect(called).toEqual(['node', 'last']);
    expect([signal.aborted, combined.aborted]).toEqual([true, true]);
  });

  it('is aborted from the start when its signal is asked for after the abort', () => {
    const attempt = new InFlightAttempt(() => {});
    attempt.abort();
    expect(attempt.signal.aborted).toBe(true);
  });
});
