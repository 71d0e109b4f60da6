import type { ControlName } from '../../dsl';
import type { Category, JsonSchema } from '../contract';

/**
 * A control type, for editors. The runtime implements it, and the language validates its steps, more strictly than these
 * schemas.
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
