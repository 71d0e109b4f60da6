import type { NodeCase } from '../node-case';
import { bodies } from './http-request/bodies';
import { requests } from './http-request/requests';
import { secrets } from './http-request/secrets';
import { verdicts } from './http-request/verdicts';

export const cases: NodeCase[] = [...requests, ...bodies, ...verdicts, ...secrets];
