/**
 * Where a program that agents start by its path may lie, seen from the module that names it: beside it in the sources,
 * or among the programs of the build, whose modules are in the build's folder or one below.
 */
export function programPlaces(module: string, source: string, built: string): URL[] {
  return [new URL(source, module), new URL(`./programs/${built}`, module), new URL(`../programs/${built}`, module)]
}
