import type { ConfigFinding } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { faultsIn, fieldsOfEach } from '../readings';

/** Fields that are no paths. */
export const check = ({ by }: JsonObject): ConfigFinding[] => faultsIn(fieldsOfEach(by, 'by'));
