import { loadConfig } from './broker-options';
import { saveCompiled } from './code-cache';
import { preflight } from './preflight';
import { startProcess } from './process';
import { serve } from './serve';
import { fatal } from './error-text';

async function main(): Promise<void> {
  const began = performance.now();
  const config = loadConfig();
  await preflight(config);
  const running = await startProcess(config, fatal);
  const tookMs = performance.now() - began;
  // Before anything changes V8's flags, as compiled functions are stored with them.
  saveCompiled();
  serve(config, running, tookMs);
}

main().catch(fatal);
