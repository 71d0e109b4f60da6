import type { JsonObject } from '../../../lib/json';
import type { LlmRequestedModel } from '../../../lib/llm';
import type { Conversation } from '../messages';
import type { SkillInput } from './skills';

/** Approvers of a tool call, and the decision after a timeout; as for the step type `approval`. */
export interface ApprovalInput {
  message?: string;
  approvers?: string[];
  timeout?: string | number;
  on_timeout?: 'approve' | 'reject' | 'fail';
}

/** One entry of `tools`: a step type, a workflow, a knowledge base, or a server of tools. Which members count depends on `type`. */
export interface ToolInput {
  type: string;
  name?: string;
  description?: string;
  approval?: boolean | ApprovalInput;
  /** For a step type: fixed configuration that the model cannot set. */
  config?: JsonObject;
  /** Of a workflow. */
  workflow?: string;
  input_schema?: JsonObject;
  /** Of a knowledge base: its id or name, and how it is searched. */
  knowledge_base?: string;
  top_k?: number;
  min_score?: number;
  filter?: JsonObject;
  rerank?: JsonObject;
  /** Of a server that speaks MCP. */
  url?: string;
  headers?: Record<string, string>;
  allow?: string[];
}

/** The input, validated by the schema. */
export interface AgentInput extends LlmRequestedModel, Conversation {
  instructions?: string;
  tools?: ToolInput[];
  skills?: SkillInput[];
  temperature?: number;
  max_tokens?: number;
  max_turns?: number;
  max_tokens_total?: number;
  max_cost_usd?: number;
  output_schema?: JsonObject;
}
