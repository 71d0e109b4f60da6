/** What the language must know of the built-in node types: the same as in the product. */
export { nodeTypes as builtIn } from '../../services/workflows/vocabulary';
