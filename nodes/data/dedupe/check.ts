import type { ConfigFinding } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { faultsIn, fieldsIn } from '../readings';

/** Fields that are no paths. */
export const check = ({ by }: JsonObject): ConfigFinding[] => faultsIn(fieldsIn(by, 'by'));
