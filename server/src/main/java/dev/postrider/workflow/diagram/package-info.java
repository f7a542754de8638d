/**
 * Pictures of workflows and of the paths that runs took: {@link
 * dev.postrider.workflow.diagram.DiagramModel} says what is drawn, {@link
 * dev.postrider.workflow.diagram.MermaidText} and {@link dev.postrider.workflow.diagram.SvgPicture}
 * draw it. Nothing here reads a database.
 */
@NullMarked
package dev.postrider.workflow.diagram;

import org.jspecify.annotations.NullMarked;
