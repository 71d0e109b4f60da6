import fc from 'fast-check';
import { sha256 } from '../../../lib/crypto';
import { createTracer, parseTraceparent, type Span, traceparentOf } from '../../../lib/tracing';
import { readTracing } from '../../../lib/tracing/config';
import { exportRequest } from '../../../lib/tracing/otlp';
import { isSampled } from '../../../lib/tracing/sampler';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('traceparent', () => {
  it('is parsed and written', () => {
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
    const hex = (length: number) =>
      fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text));
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, sampled) => {
        const context = { traceId, spanId, sampled };
        expect(parseTraceparent(traceparentOf(context))).toEqual(context);
      }),
      { numRuns: 50 },
    );
  });

  // The cases of W3C Trace Context, section 3.2.
  it.each([
    ['nothing', undefined],
    ['a list', [`00-${TRACE}-${SPAN}-01`]],
    ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
    ['more than version 00 has', `00-${TRACE}-${SPAN}-01-x`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a line break', `00-${TRACE}-${SPAN}-01\n`],
    ['a long one', `01-${TRACE}-${SPAN}-01-${'x'.repeat(1_000)}`],
  ])('is ignored when it is %s', (_what, text) => {
    expect(parseTraceparent(text)).toBeNull();
  });

  it('of a later version is parsed as far as it is known', () => {
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-03-what`)).toMatchObject({ spanId: SPAN, sampled: true });
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-02`)).toMatchObject({ sampled: false });
  });
});

describe('a sampler', () => {
  it('follows its parent, or decides by the trace alone', () => {
    const half = { kind: 'ratio', ratio: 0.5 } as const;
    const parent = { traceId: TRACE, spanId: SPAN, sampled: false };
    expect(isSampled({ kind: 'parent', root: { kind: 'always_on' } }, TRACE, parent)).toBe(false);
    expect(isSampled({ kind: 'parent', root: { kind: 'always_on' } }, TRACE, null)).toBe(true);
    expect(isSampled(half, TRACE, { ...parent, sampled: true })).toBe(isSampled(half, TRACE, null));
    const ids = Array.from({ length: 2_000 }, (_, n) => sha256(String(n)).slice(0, 32));
    const share = ids.filter((id) => isSampled(half, id, null)).length / ids.length;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
    expect(ids.filter((id) => isSampled({ kind: 'ratio', ratio: 0 }, id, null))).toEqual([]);
    expect(ids.every((id) => isSampled({ kind: 'ratio', ratio: 1 }, id, null))).toBe(true);
  });
});

describe('a tracer', () => {
  it('exports sampled spans only', () => {
    const exported: Span[] = [];
    const tracer = createTracer({
      sampler: { kind: 'parent', root: { kind: 'always_on' } },
      random: (bytes) => new Uint8Array(bytes).fill(7),
      export: (span) => exported.push(span),
    });
    const rest = {
      parentSpanId: null,
      name: 's',
      kind: 'internal',
      startedAt: 1,
      endedAt: 2,
      attributes: {},
      error: null,
    } as const;
    tracer.end({ ...rest, context: tracer.begin({ traceId: TRACE, spanId: SPAN, sampled: false }) });
    expect(exported).toEqual([]);
    tracer.end({ ...rest, context: tracer.begin(null) });
    expect(exported).toMatchObject([{ context: { traceId: '07'.repeat(16), spanId: '07'.repeat(8) } }]);
  });
});

it('an export is OTLP in JSON: ids in hexadecimal, enums as numbers, 64-bit numbers as texts', () => {
  const context = { traceId: TRACE, spanId: SPAN, sampled: true };
  const span: Span = {
    context,
    parentSpanId: null,
    name: 'set',
    kind: 'server',
    startedAt: 1_795_323_706_172,
    // Clocks of hosts differ: a span does not end before it begins.
    endedAt: 1_795_323_706_171,
    attributes: { text: 'a', whole: 3, part: 0.5, flag: true, left: undefined },
    error: 'timed_out',
  };
  expect(exportRequest({ 'service.name': 'everstep' }, { name: 'everstep', version: '1' }, [span])).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'everstep' } }] },
        scopeSpans: [
          {
            scope: { name: 'everstep', version: '1' },
            spans: [
              {
                traceId: TRACE,
                spanId: SPAN,
                flags: 1,
                name: 'set',
                kind: 2,
                startTimeUnixNano: '1795323706172000000',
                endTimeUnixNano: '1795323706172000000',
                attributes: [
                  { key: 'text', value: { stringValue: 'a' } },
                  { key: 'whole', value: { intValue: '3' } },
                  { key: 'part', value: { doubleValue: 0.5 } },
                  { key: 'flag', value: { boolValue: true } },
                ],
                status: { code: 2, message: 'timed_out' },
              },
            ],
          },
        ],
      },
    ],
  });
});

describe('the configuration of traces', () => {
  const read = (env: Record<string, string>) => {
    const faults: string[] = [];
    return { config: readTracing((name) => env[name] ?? null, faults), faults };
  };

  it('is that of OpenTelemetry', () => {
    expect(
      read({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318/',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-team = a',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=prod,service.name=other',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
      }),
    ).toEqual({
      config: {
        url: 'https://collector:4318/v1/traces',
        headers: { authorization: 'Bearer abc', 'x-team': 'a' },
        serviceName: 'other',
        resource: { 'deployment.environment': 'prod', 'service.name': 'other' },
        sampler: { kind: 'parent', root: { kind: 'ratio', ratio: 0.25 } },
      },
      faults: [],
    });
    const own = read({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/x',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d',
      OTEL_SERVICE_NAME: 's',
    });
    expect(own.config).toMatchObject({ url: 'http://c/x', serviceName: 's' });
    expect(read({}).config).toBeNull();
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'TRUE' })).toEqual({
      config: null,
      faults: [],
    });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://c'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:hunter2@c'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz-hunter2'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ])('is refused with %s=%s, without credentials in the message', (name, value) => {
    const { faults } = read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(name);
    expect(faults[0]).not.toContain('hunter2');
  });
});
