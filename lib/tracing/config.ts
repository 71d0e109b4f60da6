import type { Sampler } from './sampler';

/** Settings of tracing. Headers may hold a credential. */
export interface TracingConfig {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Additional resource attributes, from OTEL_RESOURCE_ATTRIBUTES. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: Sampler;
}

type Text = (name: string) => string | null;

const DEFAULT_SERVICE = 'everstep';
const ALWAYS: Sampler = { kind: 'parent', root: { kind: 'always_on' } };

/**
 * Reads OpenTelemetry's standard variables ("OpenTelemetry Protocol Exporter" and "Environment Variable
 * Specification"); null without an endpoint. Values that may be credentials are not repeated in faults.
 */
export function readTracing(text: Text, faults: string[]): TracingConfig | null {
  const base = text('OTEL_EXPORTER_OTLP_ENDPOINT');
  const own = text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const headers = text('OTEL_EXPORTER_OTLP_HEADERS');
  const protocol = text('OTEL_EXPORTER_OTLP_PROTOCOL');
  const resource = text('OTEL_RESOURCE_ATTRIBUTES');
  const name = text('OTEL_SERVICE_NAME');
  const sampler = samplerOf(text('OTEL_TRACES_SAMPLER'), text('OTEL_TRACES_SAMPLER_ARG'), faults);
  if (protocol !== null && protocol !== 'http/json')
    faults.push(`OTEL_EXPORTER_OTLP_PROTOCOL="${protocol}" must be http/json, which collectors accept on port 4318`);
  const given = own ?? (base === null ? null : `${base.replace(/\/+$/, '')}/v1/traces`);
  if (given === null || text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null;
  if (!isHttp(given)) {
    const variable = own === null ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
    faults.push(
      `${variable} must look like http://collector:4318, without a user; credentials go into OTEL_EXPORTER_OTLP_HEADERS`,
    );
    return null;
  }
  const attributes = pairsOf('OTEL_RESOURCE_ATTRIBUTES', resource, faults);
  return {
    url: given,
    headers: pairsOf('OTEL_EXPORTER_OTLP_HEADERS', headers, faults),
    serviceName: name ?? attributes['service.name'] ?? DEFAULT_SERVICE,
    resource: attributes,
    sampler,
  };
}

/** Credentials belong in the headers: those of a URL are not sent, and would appear in messages. */
function isHttp(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

function samplerOf(word: string | null, arg: string | null, faults: string[]): Sampler {
  const ratio = arg === null ? 1 : Number(arg);
  if (arg !== null && !(ratio >= 0 && ratio <= 1)) {
    faults.push(`OTEL_TRACES_SAMPLER_ARG="${arg}" must be a number from 0 to 1`);
    return ALWAYS;
  }
  const roots: ReadonlyMap<string, Exclude<Sampler, { kind: 'parent' }>> = new Map([
    ['always_on', { kind: 'always_on' }],
    ['always_off', { kind: 'always_off' }],
    ['traceidratio', { kind: 'ratio', ratio }],
  ] as const);
  if (word === null) return ALWAYS;
  const parent = word.startsWith('parentbased_');
  const root = roots.get(parent ? word.slice('parentbased_'.length) : word);
  if (root !== undefined) return parent ? { kind: 'parent', root } : root;
  const words = [...roots.keys()].flatMap((known) => [known, `parentbased_${known}`]);
  faults.push(`OTEL_TRACES_SAMPLER="${word}" must be one of ${words.join(', ')}`);
  return ALWAYS;
}

/** Parses `a=1,b=2`, percent-encoded, as in W3C Baggage. */
function pairsOf(variable: string, text: string | null, faults: string[]): Record<string, string> {
  const pairs = new Map<string, string>();
  for (const part of (text ?? '').split(',').filter((each) => each.trim() !== '')) {
    const at = part.indexOf('=');
    const key = part.slice(0, at).trim();
    const value = decoded(part.slice(at + 1).trim());
    if (at > 0 && key !== '' && value !== null) pairs.set(key, value);
    else faults.push(`${variable} must look like name=value,other=value, percent-encoded`);
  }
  return Object.fromEntries(pairs);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // Malformed; the caller reports it.
    return null;
  }
}
