import type { UsageTotals } from '../usage';
import type { AgentInput } from './input';

export const DEFAULT_MAX_TURNS = 10;

/** What ends an agent that does not end by itself, judged before each of its turns. Null: it may go on. Pure. */
export function overLimit(
  { max_turns: turns = DEFAULT_MAX_TURNS, max_tokens_total: tokens, max_cost_usd: cost }: AgentInput,
  turn: number,
  spent: UsageTotals,
): { code: 'limit_turns' | 'limit_tokens' | 'limit_cost'; message: string } | null {
  const used = spent.input_tokens + spent.output_tokens;
  if (turn > turns) return { code: 'limit_turns', message: `the agent has not come to an end within ${turns} turns` };
  if (tokens !== undefined && used >= tokens) {
    return { code: 'limit_tokens', message: `the agent has used ${used} tokens; ${tokens} are its limit` };
  }
  if (cost !== undefined && spent.cost_usd !== null && spent.cost_usd >= cost) {
    return { code: 'limit_cost', message: `the agent has cost ${spent.cost_usd} USD; ${cost} are its limit` };
  }
  return null;
}
