import type { RawWanted } from '../../services/channels/contract';
import type { StartResult } from '../../services/executor/contract';

/** What a webhook has started. @throws Error when it wants the bytes of the body first */
export function started(answer: StartResult | RawWanted): StartResult {
  if ('raw_wanted' in answer) throw new Error('The workflow wants the bytes of the body');
  return answer;
}
