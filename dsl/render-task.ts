import { createHash } from 'node:crypto';
import { defineTask } from '../lib/compute/task';
import type { Json, JsonObject } from '../lib/json';
import type { EvaluationContext, LinkKind } from './expression/evaluation-context';
import { ExpressionError } from './expression/error';
import { getOwn } from './expression/values';
import { render, type Template } from './template';

/** A request to render a template on a compute thread, sent as JSON text. */
export interface RenderRequest {
  readonly template: Template;
  /** The roots that the template uses, as far as it uses them. */
  readonly roots: JsonObject;
  /** The names of the roots, where they are not those of workflows. */
  readonly names?: readonly string[];
  readonly now: number;
  /** Seed of the random bytes. */
  readonly seed: string;
  /** Links of steps by `linkKey`; absent where there are none. */
  readonly links?: Readonly<Record<string, string>>;
}

type RenderResult =
  /** As JSON text. */
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'fault'; readonly message: string; readonly source: string; readonly position: number }
  | { readonly kind: 'link_wanted'; readonly stepId: string; readonly linkKind: LinkKind };

export const linkKey = (stepId: string, kind: LinkKind): string => `${kind}:${stepId}`;

/** Thrown when a rendering needs a link that only the caller can create. */
class LinkRequired extends Error {
  constructor(
    readonly stepId: string,
    readonly linkKind: LinkKind,
  ) {
    super();
  }
}

export const renderTask = defineTask('dsl/render-task', 'renderTask', (text: string): RenderResult => {
  // The text is always a serialized RenderRequest.
  const request = JSON.parse(text) as RenderRequest;
  try {
    return { kind: 'value', text: JSON.stringify(render(request.template, envOf(request))) };
  } catch (fault) {
    if (fault instanceof LinkRequired) return { kind: 'link_wanted', stepId: fault.stepId, linkKind: fault.linkKind };
    if (!(fault instanceof ExpressionError)) throw fault;
    return { kind: 'fault', message: fault.message, source: fault.source, position: fault.position };
  }
});

function envOf({ roots, names, now, seed, links }: RenderRequest): EvaluationContext {
  const random = randomOf(seed);
  const root = (name: string): Json | undefined => getOwn(roots, name);
  const env = { ...(names === undefined ? {} : { roots: names }), root, now, random };
  if (links === undefined) return env;
  return {
    ...env,
    stepLink: (stepId, kind) => {
      const key = linkKey(stepId, kind);
      const link = Object.hasOwn(links, key) ? links[key] : undefined;
      if (link === undefined) throw new LinkRequired(stepId, kind);
      return link;
    },
  };
}

/** Random bytes derived from a seed, so that a repeated rendering gives the same result. */
function randomOf(seed: string): (bytes: number) => Uint8Array {
  let count = 0;
  return (bytes) => {
    const parts: Buffer[] = [];
    for (let length = 0; length < bytes; length += 32)
      parts.push(createHash('sha256').update(`${seed}:${count++}`).digest());
    return new Uint8Array(Buffer.concat(parts).subarray(0, bytes));
  };
}
