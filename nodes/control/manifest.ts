import type { ControlName } from '../../dsl';
import type { Category, JsonSchema } from '../contract';

/**
 * A type of steps that hold others, described for canvases. What it does is the runtime's; what it may hold is checked
 * by the language, which says more than these schemas.
 */
export interface ControlManifest {
  readonly type: ControlName;
  readonly title: string;
  readonly description: string;
  readonly category: Category;
  readonly aliases: readonly string[];
  /** Of `config`. */
  readonly input: JsonSchema;
  /** Of the step's own keys, beside those that every step has. */
  readonly step: JsonSchema;
  readonly output: JsonSchema;
}
