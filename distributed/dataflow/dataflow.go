// Package dataflow lets a program run jobs of package distributed on Dataflow: it brings the runner and the
// file system of gs://, and ends jobs by Dataflow's interface.
package dataflow

import (
	"context"
	"flag"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/gcpopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow/dataflowlib"
	"google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/option"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"  // the runner
)

// connect returns Dataflow, by the credentials of the program. A test has another.
var connect = func(ctx context.Context) (*dataflow.Service, error) {
	var at []option.ClientOption
	if f := flag.Lookup("dataflow_endpoint"); f.Value.String() != "" {
		at = append(at, option.WithEndpoint(f.Value.String()))
	}
	return dataflow.NewService(ctx, at...)
}

// Cancel ends the job of a name, for distributed.Job.Cancel. Its workers may go on for some minutes.
//
// Errors: Dataflow's, which may not have begun the job yet.
func Cancel(ctx context.Context, name string) error {
	service, err := connect(ctx)
	if err != nil {
		return fmt.Errorf("dataflow: %w", err)
	}
	project, region := gcpopts.GetProjectFromFlagOrEnvironment(ctx), gcpopts.GetRegion(ctx)
	job, err := dataflowlib.GetRunningJobByName(service, project, region, name)
	if err == nil {
		_, err = service.Projects.Locations.Jobs.Update(project, region, job.Id, &dataflow.Job{RequestedState: "JOB_STATE_CANCELLED"}).Context(ctx).Do()
	}
	if err != nil {
		return fmt.Errorf("dataflow: job %s: %w", name, err)
	}
	return nil
}
