/** The built-in node types as the workflow language sees them: the same as in the product. */
export { nodeTypes as builtIn } from '../../services/workflows/tenant-node-types';
