import { UTC, type ConfigFinding } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { faultsIn } from '../readings';
import { instantByPattern } from './pattern';
import { written, zoneNamed } from './run';

/** Time zones that there are not, formats and patterns that cannot be read. */
export const check = ({ timezone, format, pattern }: JsonObject): ConfigFinding[] =>
  faultsIn([
    ['timezone', timezone, zoneNamed],
    ['format', format, (text) => written(0, UTC, text)],
    ['pattern', pattern, (text) => instantByPattern('', text, UTC)],
  ]);
