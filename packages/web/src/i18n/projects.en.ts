export const projectsEn = {
  "project.name": "Name",
  "project.nameExample": "Checkout redesign",
  "project.description": "Description",
  "project.newLead": "A project holds ideas, proposals, tasks and documents.",
  "project.none": "No projects yet",
  "project.noneLead": "A project is where ideas become tasks and agents pick them up.",
  "project.updated": "Updated {when}",
} as const
