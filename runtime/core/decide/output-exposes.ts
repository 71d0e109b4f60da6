import type { Expression, Template } from '../../../dsl';

/**
 * True when the output of the run contains the text of one of these steps unchanged. Without an output template, the
 * output is that of the last step. A text that the template changes, selects or omits must not be streamed.
 */
export const outputExposes = (output: Template | null, stepIds: ReadonlySet<string>): boolean =>
  output === null || expressionsIn(output).some((expression) => isTextOf(expression, stepIds));

function expressionsIn(template: Template): Expression[] {
  switch (template.kind) {
    case 'constant':
      return [];
    case 'expression':
      return [template.expression.tree];
    case 'text':
      return template.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.tree]));
    case 'list':
      return template.items.flatMap(expressionsIn);
    case 'object':
      return template.entries.flatMap(([, value]) => expressionsIn(value));
  }
}

/** `steps.<id>`, `steps.<id>.text`, and these with a `??` default. */
function isTextOf(expression: Expression, stepIds: ReadonlySet<string>): boolean {
  if (expression.kind === 'binary' && expression.operator === '??')
    return isTextOf(expression.left, stepIds) || isTextOf(expression.right, stepIds);
  if (expression.kind !== 'path' || expression.base.kind !== 'root' || expression.base.name !== 'steps') return false;
  const [id, member, ...more] = expression.segments.map(nameOf);
  return typeof id === 'string' && stepIds.has(id) && (member === undefined || member === 'text') && more.length === 0;
}

type Segment = Extract<Expression, { kind: 'path' }>['segments'][number];

/** Null for a name that is only known at the end of the run. */
function nameOf(segment: Segment): string | null {
  if (segment.kind === 'key') return segment.name;
  return segment.value.kind === 'literal' ? String(segment.value.value) : null;
}
