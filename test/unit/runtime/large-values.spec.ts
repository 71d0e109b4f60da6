import type { Json, JsonObject } from '../../../lib/json';
import { prepareJson, preparedJson } from '../../../lib/json/prepared';
import { sha256 } from '../../../lib/crypto';
import { normalizeOutcome } from '../../../runtime/execution/normalize-outcome';
import { decodeEntries, encodeDecision } from '../../../runtime/core/entries/codec';
import type { Entry } from '../../../runtime/core/entries/entry';
import { SecretRedactor } from '../../../runtime/core/secrets/secret-redactor';

const SECRET = 'a-secret-value-é𝄞';

const large = (piece: Json): JsonObject => ({ rows: Array.from({ length: 20_000 }, (_, id) => ({ id, piece })) });

function createRedactor(): SecretRedactor {
  const made = new SecretRedactor(() => 'code');
  made.register(new Map([['KEY', SECRET]]), ['KEY']);
  return made;
}

const completed = (output: JsonObject): Entry => ({
  kind: 'step.completed',
  path: '/a',
  attempt: 1,
  at: 1,
  started: 1,
  output,
});

describe('a large value', () => {
  it.each([
    ['many small texts with a secret', large(`x ${SECRET} y`)],
    ['one long text with secrets, also where parts of it meet', { text: `${'z'.repeat(1_001)}${SECRET}`.repeat(300) }],
    ['secrets in keys', { [`k${SECRET}`]: large('x') }],
    ['nothing to hide', large('x')],
  ] as [string, JsonObject][])(
    'with %s is redacted, tokenized and detokenized in slices as at once',
    async (_title, value) => {
      const redactor = createRedactor();
      const sealed = await redactor.tokenizeSliced(value);
      expect(sealed).toEqual(redactor.tokenize(value));
      expect(JSON.stringify(sealed)).not.toContain(SECRET);
      expect(await redactor.redactSliced(value)).toEqual(redactor.redact(value));
      expect(redactor.detokenize(sealed)).toEqual(value);
      await prepareJson(sealed);
      expect(redactor.detokenize(sealed)).toEqual(value);
    },
  );

  it('is the same object without secrets', async () => {
    const value = large('x');
    expect(await createRedactor().tokenizeSliced(value)).toBe(value);
    expect(await createRedactor().redactSliced(value)).toBe(value);
  });

  it('is recorded with its text and hash, and read again', async () => {
    const output = large('é𝄞');
    await prepareJson(output);
    const json = JSON.stringify(output);
    expect(preparedJson(output)).toEqual({ json, hash: sha256(json) });
    const { text, payloads } = encodeDecision([completed(output)]);
    expect(payloads).toEqual([{ json, hash: sha256(json) }]);
    const stored = new Map(payloads.map((payload) => [payload.hash, payload.json]));
    expect(await decodeEntries([`[${text}]`], async () => stored)).toEqual([completed(output)]);
  });

  it('is converted to JSON', async () => {
    const rows = Array.from({ length: 20_000 }, () => ({
      at: new Date(0),
      gone: undefined,
      zero: -0,
      none: Number.NaN,
    }));
    const outcome = await normalizeOutcome({ kind: 'done', output: { rows } });
    expect(outcome).toEqual({ kind: 'done', output: JSON.parse(JSON.stringify({ rows })) });
  });

  it('that cannot be JSON fails its step', async () => {
    const circle: Record<string, unknown> = { text: 'x'.repeat(200_000) };
    circle.self = circle;
    expect(await normalizeOutcome({ kind: 'done', output: circle })).toMatchObject({
      kind: 'fail',
      error: { code: 'invalid_outcome' },
    });
  });
});
