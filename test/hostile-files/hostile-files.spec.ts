import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PARSE_FAULTS, type ParseResult, type Parsers } from '../../lib/documents/contract';
import { createParsers, PARSE_LIMITS, type ParseLimits } from '../../lib/documents';
import { hostileFiles } from '.';
import { docx, wordParagraph } from '../support/documents/office';
import { watchWaiting } from '../support/waiting-threads';
import type { HostileFile } from './file';

/** `npm run test:hostile-files` uses the limits of the service; else the limits of time and memory are lower, to be quick. */
const LIMITS: Partial<ParseLimits> =
  process.env.HOSTILE_FILES === 'service' ? {} : { timeoutMs: 4_000, heapMiB: 256, characters: 3_000_000 };
const TIMEOUT_MS = LIMITS.timeoutMs ?? PARSE_LIMITS.timeoutMs;
const GRACE_MS = 1_500;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MIB = 1024 * 1024;
const files = hostileFiles();

const parse = (parsers: Parsers, { filename, content, url }: HostileFile): Promise<ParseResult> =>
  parsers.parse({
    content: new Uint8Array(content()),
    filename,
    contentType: null,
    url: url ?? null,
    chunking: { maxTokens: 400, overlapTokens: 50 },
  });

describe('hostile files', () => {
  let parsers: Parsers;
  beforeAll(() => {
    parsers = createParsers({ ...PARSE_LIMITS, ...LIMITS });
  });
  afterAll(() => parsers.close());

  it('there are 200 and more, each another', () => {
    expect(files.length).toBeGreaterThanOrEqual(200);
    expect(new Set(files.map(({ title }) => title)).size).toBe(files.length);
  });

  it('each ends in its time, with what is in it or with why not, and nothing else is harmed', async () => {
    const wrong: string[] = [];
    const slow: string[] = [];
    const delay = monitorEventLoopDelay({ resolution: 10 });
    let longestDelayMs = 0;
    const one = async (hostile: HostileFile): Promise<void> => {
      const began = performance.now();
      const waitedMs = watchWaiting();
      // Creating the file blocks the event loop of the test; that time does not count.
      const work = parse(parsers, hostile);
      delay.reset();
      delay.enable();
      const result = await work;
      delay.disable();
      longestDelayMs = Math.max(longestDelayMs, delay.percentile(99) / 1e6);
      const ms = performance.now() - began;
      // Its time does not count while its thread waits for a processor, up to ten times as much.
      if (ms - waitedMs() > TIMEOUT_MS + GRACE_MS || ms > 10 * TIMEOUT_MS + GRACE_MS)
        slow.push(`${hostile.title}: ${Math.round(ms)} ms`);
      const fault = faultOf(hostile, result);
      if (fault !== null) wrong.push(`${hostile.title}: ${fault}`);
    };
    for (const hostile of files) await one(hostile);
    expect(wrong).toEqual([]);
    expect(slow).toEqual([]);
    expect(longestDelayMs).toBeLessThan(500);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('x');
  }, 600_000);

  it('a sound file is read after all of them, and the memory is back', async () => {
    const result = await parse(parsers, {
      title: 'sound',
      filename: 'sound.docx',
      content: () => docx(wordParagraph('sound')),
    });
    expect(result).toMatchObject({ kind: 'parsed', chunks: [{ text: 'sound' }] });
    await parsers.close();
    // The contents of the files are garbage of this process until it collects.
    collectGarbage();
    expect(process.memoryUsage().external).toBeLessThan(400 * MIB);
  });
});

/** The fault of a file's result; null for a correct one. */
function faultOf({ comesTo }: HostileFile, result: ParseResult): string | null {
  const code = result.kind === 'failed' ? result.code : 'parsed';
  if (comesTo !== undefined && !comesTo.includes(code))
    return `came to ${code}${result.kind === 'failed' ? `: ${result.message}` : ''}`;
  if (result.kind === 'failed') {
    if (!PARSE_FAULTS.includes(result.code)) return `an unknown fault: ${result.code}`;
    return /^[A-Z].{10,500}$/s.test(result.message) ? null : `no sentence: ${result.message}`;
  }
  if (result.chunks.length === 0) return 'parsed to nothing';
  return result.chunks.some(({ text }) => /[\0\p{Surrogate}]/u.test(text)) ? 'text that cannot be stored' : null;
}
