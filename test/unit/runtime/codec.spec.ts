import fc from 'fast-check';
import type { JsonObject } from '../../../lib/json';
import { decodeEntries, encodeDecision, MAX_INLINE_CHARS } from '../../../runtime/core/entries/codec';
import type { Entry } from '../../../runtime/core/entries/entry';

/** Writes decisions as records do, and reads them again. */
async function roundTrip(decisions: Entry[][]): Promise<{ entries: Entry[]; texts: string[]; loads: number }> {
  const encoded = decisions.map((entries) => encodeDecision(entries));
  const texts = encoded.map(({ text }) => `[${text}]`);
  const kept = new Map(encoded.flatMap(({ payloads }) => payloads.map(({ hash, json }) => [hash, json] as const)));
  let loads = 0;
  const entries = await decodeEntries(texts, async (hashes) => {
    loads += 1;
    return new Map([...kept].filter(([hash]) => hashes.includes(hash)));
  });
  return { entries, texts, loads };
}

const completed = (output: JsonObject, input?: JsonObject): Entry => ({
  kind: 'step.completed',
  path: 'a',
  attempt: 1,
  at: 1,
  started: 0,
  output,
  ...(input === undefined ? {} : { input }),
});

describe('entries', () => {
  it('are unchanged for any JSON in them', async () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.tuple(json, fc.option(json)), { maxLength: 3 }), { maxLength: 3 }),
        async (made) => {
          const decisions = made
            .map((entries) => entries.map(([output, input]) => completed(output, input ?? undefined)))
            .filter((entries) => entries.length > 0);
          const { entries } = await roundTrip(decisions);
          expect(entries).toEqual(JSON.parse(JSON.stringify(decisions.flat())));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('that are big store their values separately, the input too', async () => {
    const entry = completed({ t: 'x'.repeat(MAX_INLINE_CHARS) }, { small: 1 });
    const { entries, texts, loads } = await roundTrip([[entry, completed({})]]);
    expect(entries).toEqual([entry, completed({})]);
    expect(texts[0]?.length).toBeLessThan(1_000);
    expect(loads).toBe(1);
  });

  it('of one decision that are big together store theirs separately too', async () => {
    const decision = Array.from({ length: 100 }, (_, n) => completed({ n, t: 'x'.repeat(50_000) }));
    const { entries, texts } = await roundTrip([decision]);
    expect(entries).toEqual(decision);
    expect(texts[0]?.length).toBeLessThan(100_000);
  });

  it('that are small need no payload', async () => {
    expect((await roundTrip([[completed({ v: 1 })]])).loads).toBe(0);
    expect(encodeDecision([completed({}), completed({})]).count).toBe(2);
  });

  it('keep absent members, and an output that looks like a reference', async () => {
    const end: Entry = { kind: 'run.ended', at: 1, status: 'completed', output: null, error: null };
    const odd = completed({ output_ref: 'x', input_ref: 'y', t: 'x'.repeat(MAX_INLINE_CHARS) });
    const { entries } = await roundTrip([[end, odd, completed({ output_ref: 'z' })]]);
    expect(entries).toEqual([end, odd, completed({ output_ref: 'z' })]);
  });

  it('whose value is missing cannot be read', async () => {
    const { text } = encodeDecision([completed({ t: 'x'.repeat(MAX_INLINE_CHARS) })]);
    await expect(decodeEntries([`[${text}]`], async () => new Map())).rejects.toThrow('missing');
  });

  it('that are not JSON are refused', () => {
    expect(() => encodeDecision([completed({ v: 1n } as unknown as JsonObject)])).toThrow(TypeError);
  });
});
