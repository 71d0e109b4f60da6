import { agentNode } from './ai/agent';
import { classifyNode } from './ai/classify';
import { embedNode } from './ai/embed';
import { extractNode } from './ai/extract';
import { llmNode } from './ai/llm';
import { skillNode } from './ai/skill';
import { codeNode } from './code/code';
import { connectorNodes } from './connectors';
import { aggregateNode } from './data/aggregate';
import { cryptoNode } from './data/crypto';
import { csvNode } from './data/csv';
import { datetimeNode } from './data/datetime';
import { dedupeNode } from './data/dedupe';
import { filterNode } from './data/filter';
import { htmlExtractNode } from './data/html-extract';
import { jsonNode } from './data/json';
import { markdownNode } from './data/markdown';
import { setNode } from './data/set';
import { sortNode } from './data/sort';
import { templateNode } from './data/template';
import { xmlNode } from './data/xml';
import { approvalNode } from './flow/approval';
import { emitSignalNode } from './flow/emit-signal';
import { failNode } from './flow/fail';
import { logNode } from './flow/log';
import { stopNode } from './flow/stop';
import { subWorkflowNode } from './flow/sub-workflow';
import { waitNode } from './flow/wait';
import { waitForFormNode } from './flow/wait-for-form';
import { waitForSignalNode } from './flow/wait-for-signal';
import { httpRequestNode } from './http/http-request';
import { webhookResponseNode } from './http/webhook-response';
import { kbAddNode } from './knowledge/kb-add';
import { kbQueryNode } from './knowledge/kb-query';
import { emailSendNode } from './messaging/email-send';
import { databaseQueryNode } from './storage/database-query';
import { fileReadNode } from './storage/file-read';
import { fileShareNode } from './storage/file-share';
import { fileWriteNode } from './storage/file-write';
import { redisNode } from './storage/redis';
import { s3Node } from './storage/s3';
import { createRegistry } from './registry';

/** Every built-in node type and its aliases, with the actions of connectors. A new one is a file and two lines here. */
export const nodes = createRegistry([
  httpRequestNode,
  webhookResponseNode,
  waitNode,
  waitForSignalNode,
  waitForFormNode,
  emitSignalNode,
  approvalNode,
  subWorkflowNode,
  stopNode,
  failNode,
  logNode,
  setNode,
  codeNode,
  filterNode,
  sortNode,
  aggregateNode,
  dedupeNode,
  jsonNode,
  csvNode,
  xmlNode,
  htmlExtractNode,
  markdownNode,
  datetimeNode,
  cryptoNode,
  templateNode,
  emailSendNode,
  databaseQueryNode,
  redisNode,
  s3Node,
  fileWriteNode,
  fileReadNode,
  fileShareNode,
  llmNode,
  agentNode,
  skillNode,
  classifyNode,
  extractNode,
  embedNode,
  kbQueryNode,
  kbAddNode,
  ...connectorNodes,
]);
