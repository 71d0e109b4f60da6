import type { NodeCase } from '../../../case';
import { bodies } from './bodies';
import { requests } from './requests';
import { secrets } from './secrets';
import { verdicts } from './verdicts';

export const cases: NodeCase[] = [...requests, ...bodies, ...verdicts, ...secrets];
