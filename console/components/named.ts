/** The title of the enclosing screen or dialog, for components that must name it. */
import { createContext } from 'preact';

export const Named = createContext('');
