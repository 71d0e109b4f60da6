import { loadConfig } from './broker-options';
import { preflight } from './preflight';
import { startProcess } from './process';
import { serve } from './serve';
import { fatal } from './error-text';

async function main(): Promise<void> {
  const began = performance.now();
  const config = loadConfig();
  await preflight(config);
  serve(config, await startProcess(config, fatal), performance.now() - began);
}

main().catch(fatal);
