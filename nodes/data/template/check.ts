import type { ConfigFinding } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { faultsIn } from '../readings';
import { parseTemplate } from './parse';

/** Tags and sections that cannot be read. */
export const check = ({ template }: JsonObject): ConfigFinding[] => faultsIn([['template', template, parseTemplate]]);
